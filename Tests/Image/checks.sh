# For script/image-test: what an image has to do. Each line that begins with 'ok' is what was seen.

passed=0

ok() {
  passed=$((passed + 1))
  say "ok: $*"
}

fail() {
  echo "FAILED: $*" >&2
  echo '--- the last lines of the container' >&2
  "$engine" logs "$container" 2>&1 | tail -20 >&2 || true
  exit 1
}

# What ends it elsewhere is a failure too, and says where.
set -o errtrace
trap 'echo "FAILED: $BASH_COMMAND (${BASH_SOURCE[0]}:$LINENO)" >&2' ERR

# MARK: The container

remove() {
  case $engine in
    docker) docker rm --force "$container" > /dev/null 2>&1 || true ;;
    podman) podman rm --force --time 0 "$container" > /dev/null 2>&1 || true ;;
  esac
}

remove_volume() {
  remove
  "$engine" volume rm "$volume" > /dev/null 2>&1 || true
}

# Starts a container with the volume, in the place of the one before.
start() { # OPTIONS of 'run' [-- ARGUMENTS of the program]
  local options=(--detach --name "$container" --volume "$volume:/data" --publish 127.0.0.1::8080 --publish 127.0.0.1::8443)
  if [[ $engine = podman ]]; then options+=(--network slirp4netns); fi
  while (($#)) && [[ $1 != -- ]]; do options+=("$1"); shift; done
  if (($#)); then shift; fi
  remove
  "$engine" run "${options[@]}" "$image" "$@" > "$scratch/run" 2>&1 || fail "it can't be started: $(cat "$scratch/run")"
}

ready() {
  "$engine" exec "$container" understudy health --wait 60 > "$scratch/health" 2>&1 \
    || fail "it doesn't get ready: $(cat "$scratch/health")"
  # The engine publishes its port by a program of its own, which may be later.
  for _ in {1..100}; do
    if get /healthz > /dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "it is ready, and its published port doesn't answer"
}

state() { # FIELD
  "$engine" inspect --format "{{.State.$1}}" "$container"
}

published() { # PORT of the container
  "$engine" port "$container" "$1" | head -1
}

get() { # PATH [OPTIONS of curl]
  local path=$1
  shift
  curl --silent --show-error --fail --max-time 20 "$@" "http://$(published 8080)$path"
}

milliseconds() { date +%s%3N; }

# MARK: What is stored

sign_up() { # NAME
  get /invasive/users --data "{\"username\": \"$1\", \"password\": \"secret\", \"realname\": \"Ada\", \"phone\": \"1\"}" \
    > /dev/null || fail "$1 can't sign up"
}

has_user() { # NAME
  get "/invasive/users?user=$1&password=secret" > /dev/null || fail "$1 is gone"
}

# MARK: As it is

configured() { # FIELD
  "$engine" image inspect --format "{{$1}}" "$image"
}

size=$(configured .Size)
((size < 120000000)) || fail "the image has $size bytes"
ok "the image has $((size / 1000000)) MB, less than 120"

[[ $(configured .Config.User) = 10106:10106 ]] || fail 'the image has another user'
[[ $(configured .Config.Volumes) = *'/data:'* ]] || fail 'the image has no volume'
version=$("$engine" run --rm --network none "$image" --version)
label() { configured "index .Config.Labels \"org.opencontainers.image.$1\""; }
[[ $version = "understudy $(label version)"* && $version = *"(${commit:0:7})" ]] \
  || fail "the labels say $(label version) and $(label revision), the program $version"
[[ $(label revision) = "$commit" ]] || fail "the label of the revision says $(label revision)"
[[ $(label licenses) = Apache-2.0 ]] || fail "the label of the licence says $(label licenses)"
ok "labels: $(label version), $(label revision), $(label licenses)"

if grep -qiE 'amd64|arm64|x86|aarch' Dockerfile compose.yaml; then fail 'an architecture is named'; fi
ok 'nothing names an architecture'

start
ready
get /invasive/species > "$scratch/species"
[[ $(grep -o '"idspecies"' "$scratch/species" | wc -l) = 48 ]] || fail 'there are no 48 species'
ok 'it answers at the published port'

[[ $("$engine" exec "$container" id -u) = 10106 ]] || fail 'it runs as another user'
[[ $("$engine" exec "$container" cat /proc/1/comm) = understudy ]] || fail 'it is not process 1'
ok 'it is process 1, and not root'

sign_up ada
for attempt in 1 2 3; do
  begin=$(milliseconds)
  "$engine" stop -t 10 "$container" > /dev/null
  took=$(($(milliseconds) - begin))
  [[ $(state ExitCode) = 0 ]] || fail "it ended with $(state ExitCode)"
  if ((took < 1000)); then break; fi
  # A machine that is busy with other things: the engine's own part alone may take that long.
  ((attempt < 3)) || fail "stopping took $took ms"
  "$engine" start "$container" > /dev/null
  ready
done
ok "idle, it stops in $took ms"

"$engine" start "$container" > /dev/null
ready
has_user ada
"$engine" restart "$container" > /dev/null
ready
has_user ada
start
ready
has_user ada
ok 'what is stored is there after a restart, and in another container'

# MARK: Health

is_healthy() {
  case $engine in
    podman) podman healthcheck run "$container" > /dev/null 2>&1 ;;
    docker)
      # Docker asks by itself; what it says right after a change is from before.
      sleep 3
      [[ $(state Health.Status) = healthy ]]
      ;;
  esac
}

# The image's own check, asked more often.
start --health-interval 1s --health-retries 1
ready
is_healthy || fail "it isn't healthy"
"$engine" kill --signal STOP "$container" > /dev/null
for _ in 1 2 3 4 5; do
  if ! is_healthy; then break; fi
done
if is_healthy; then fail 'it is healthy while it stands still'; fi
"$engine" kill --signal CONT "$container" > /dev/null
ready
is_healthy || fail "it isn't healthy again"
ok 'it is healthy, unhealthy while it stands still, and healthy again'

# MARK: Killed

key=$(get /directory/users --data '{"name": "ada", "password": "secret"}')
for _ in 1 2 3; do
  : > "$scratch/answers"
  curl --silent --fail-early --output /dev/null --write-out '%{http_code}\n' --data '{"name": "Grace", "office": "B 12", "phone": "1"}' \
    "http://$(published 8080)/directory/people/$key?[1-20000]" > "$scratch/answers" 2> /dev/null &
  client=$!
  for _ in {1..600}; do
    if (($(grep -c '^200' "$scratch/answers" || true) > 200)); then break; fi
    sleep 0.05
  done
  "$engine" kill --signal KILL "$container" > /dev/null
  wait "$client" || true
  acknowledged=$((${acknowledged-0} + $(grep -c '^200' "$scratch/answers" || true)))
  # In another container: podman clears up after one that was killed while it may be starting again.
  start
  ready
done
stored=$(get "/directory/people/$key" | grep -o '"name"' | wc -l)
((acknowledged > 600)) || fail "only $acknowledged were answered before it was killed"
# What was under way each time may be there.
((stored >= acknowledged && stored <= acknowledged + 3)) || fail "of $acknowledged that were acknowledged it has $stored"
ok "killed three times while it wrote, it has all $acknowledged that were acknowledged, and $((stored - acknowledged)) more"

# MARK: Read-only, and other users

read_only=(--read-only)
# Docker gives nothing to write to, unasked.
if [[ $engine = podman ]]; then read_only+=(--read-only-tmpfs=false); fi
start "${read_only[@]}" --cap-drop ALL --security-opt no-new-privileges
ready
sign_up grace
has_user ada
if "$engine" exec "$container" touch /tmp/file 2> /dev/null; then fail 'there is something to write to'; fi
ok 'it runs where all but the volume is read-only, and without any capability'

remove_volume
start --user 4321:4321
ready
sign_up ada
[[ $("$engine" exec "$container" stat --format '%u %a' /data/understudy.sqlite) = '4321 600' ]] || fail "the database isn't its own"
ok 'it runs as another user, with a new volume'

# Expects one line that says which chown, and does what that says.
expect_chown() {
  timeout 60 "$engine" wait "$container" > "$scratch/status" || fail 'it runs'
  [[ $(cat "$scratch/status") = 1 ]] || fail "it ended with $(cat "$scratch/status")"
  # How many files may be open is the engine's affair, and is told where it is few.
  "$engine" logs "$container" 2>&1 | grep -v 'open files are allowed' > "$scratch/log"
  [[ $(wc -l < "$scratch/log") = 1 ]] || fail 'it says more than a line'
  grep -q 'chown -R 10106:10106 /data' "$scratch/log" || fail "it doesn't say which chown"
  as_root chown -R 10106:10106 /data
  start
  ready
}

as_root() { # COMMAND
  local command=$1
  shift
  "$engine" run --rm --network none --user 0 --entrypoint "$command" --volume "$volume:/data" "$image" "$@"
}

start
expect_chown
has_user ada
ok 'files of another user: it says which chown in one line, and has what is stored after that'

remove_volume
# With something in it, as a disk of its own has: an empty one Docker gives to whom the image says.
as_root mkdir /data/lost+found
as_root chown 0:0 /data
as_root chmod 755 /data
start
expect_chown
ok 'a volume of another owner: it says which chown in one line, and runs after that'

# MARK: HTTPS

remove_volume
start --env UNDERSTUDY_HTTPS=8443 --env UNDERSTUDY_NAMES=cmsc106.net,192.168.7.20
ready
get /connect/understudy.pem > "$scratch/authority.pem"
curl --silent --show-error --fail --max-time 20 --cacert "$scratch/authority.pem" \
  --connect-to "cmsc106.net:443:$(published 8443)" https://cmsc106.net/invasive/parks/13 > "$scratch/park" \
  || fail "https://cmsc106.net doesn't answer, or isn't trusted"
[[ $(cat "$scratch/park") = *'"idpark":13'* ]] || fail "https://cmsc106.net answers $(cat "$scratch/park")"
ok 'https://cmsc106.net answers, and is trusted by who trusts its authority'

get /connect --header 'Host: 192.168.7.20:8080' > "$scratch/connect"
[[ $(grep -o 'href="http[^"]*"' "$scratch/connect" | head -1) = 'href="http://192.168.7.20:8080/connect"' ]] \
  || fail "/connect doesn't begin with the address by which it was reached"
ok '/connect begins with the address by which it was reached'

"$engine" logs "$container" 2> /dev/null | grep '^listening on ' > "$scratch/listening"
printf 'listening on %s\n' https://cmsc106.net https://192.168.7.20 https://localhost http://localhost:8080 \
  | cmp -s - "$scratch/listening" || fail "it says $(cat "$scratch/listening")"
[[ $(cat "$scratch/connect") = *'"https://192.168.7.20/connect"'*'"https://cmsc106.net/connect"'* ]] \
  || fail "/connect doesn't lead to the published ports"
ok 'what it prints, and /connect, lead to the ports as they are published'

# MARK: Memory

remove_volume
start --memory 256m --memory-swap 256m
ready
limit=$("$engine" exec "$container" sh -c \
  'cd /sys/fs/cgroup && cat memory.max 2> /dev/null || cat memory/memory.limit_in_bytes')
[[ $limit = $((256 << 20)) ]] || fail "its limit of memory is $limit"
head -c 1000000 /dev/zero | tr '\0' x > "$scratch/body"
# All of them at the same time, each taking some seconds: more than it may hold.
curl --silent --no-progress-meter --parallel --parallel-immediate --parallel-max 300 --max-time 60 --limit-rate 200k --request POST \
  --header 'Expect:' --upload-file "$scratch/body" --output /dev/null --write-out '%{http_code}\n' \
  "http://$(published 8080)/invasive/observations?[1-300]" | sort | uniq -c > "$scratch/answers" || true
[[ $(state Running) = true && $(state OOMKilled) = false ]] || fail 'it ran out of memory'
ready
ok "with 256 MB of memory it outlives 300 uploads at a time ($(awk '{ printf "%s%s times %s", comma, $1, $2; comma = ", " }' "$scratch/answers"))"

remove_volume
