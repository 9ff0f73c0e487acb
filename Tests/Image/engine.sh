# For script/image-test: podman with a store of its own, and stand-ins for the images that the Dockerfile begins with.

build() { # ARGUMENTS of 'build'
  case $engine in
    docker) docker build "$@" < /dev/null ;;
    podman)
      # HEALTHCHECK is in Docker's format only.
      podman build --format docker --network host --pull=never "${mounts[@]}" "$@" < /dev/null
      ;;
  esac
}

set_up_podman() {
  toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
  [[ $toolchain != /usr ]] || cannot 'Swift is in /usr, from where it can'\''t be lent to a build; start Docker first'
  local files driver=overlay
  files=$(ulimit -Hn)
  [[ $files != unlimited ]] || files=65536
  mkdir -p "$store" "$scratch"/{lower,upper,work,merged}
  # A folder on an overlay, as in a container, can't be part of another one.
  if mount -t overlay overlay -o "lowerdir=$scratch/lower,upperdir=$scratch/upper,workdir=$scratch/work" \
    "$scratch/merged" 2> /dev/null; then
    umount "$scratch/merged"
  else
    driver=vfs
  fi
  printf '%s\n' '[storage]' "driver = \"$driver\"" "graphroot = \"$store/graph\"" "runroot = \"$store/run\"" \
    > "$store/storage.conf"
  # runc, which takes any mixture of control groups. The limits of files are this machine's, since more may be denied.
  printf '%s\n' '[containers]' "default_ulimits = [\"nofile=$files:$files\", \"nproc=4096:4096\"]" \
    'log_driver = "k8s-file"' '[engine]' 'runtime = "runc"' 'cgroup_manager = "cgroupfs"' 'events_logger = "file"' \
    "tmp_dir = \"$store/tmp\"" "volume_path = \"$store/volumes\"" > "$store/containers.conf"
  export CONTAINERS_STORAGE_CONF=$store/storage.conf CONTAINERS_CONF=$store/containers.conf
  # Health is asked for by the test itself.
  export DISABLE_HC_SYSTEMD=true
  # This machine's way to Debian's packages, a proxy perhaps, goes for builds too, and stays out of images.
  apt-config dump Acquire | grep -v '^Acquire::\(IndexTargets\|Languages\)' > "$store/apt.conf" || true
  mounts=(--volume "$store/apt.conf:/etc/apt/apt.conf.d/99machine:ro" --volume "$toolchain:$toolchain:ro")
}

# Makes images of the names that stand behind FROM, unless the store has them.
make_bases() {
  if podman image exists swift:6.3-bookworm; then return; fi
  say 'making images of Debian and Swift'
  local root=$scratch/debian
  debootstrap --variant=minbase bookworm "$root" > "$scratch/debootstrap.log" 2>&1 \
    || { tail -20 "$scratch/debootstrap.log" >&2; exit 1; }
  rm "$root/etc/apt/sources.list"
  printf '%s\n' 'Types: deb' 'URIs: http://deb.debian.org/debian' 'Suites: bookworm bookworm-updates' \
    'Components: main' 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' '' \
    'Types: deb' 'URIs: http://deb.debian.org/debian-security' 'Suites: bookworm-security' \
    'Components: main' 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' \
    > "$root/etc/apt/sources.list.d/debian.sources"
  # As in the image of the name: no documentation, and no copies of packages.
  printf '%s\n' 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };' \
    'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' 'Acquire::Languages "none";' \
    > "$root/etc/apt/apt.conf.d/docker-clean"
  printf '%s\n' 'path-exclude /usr/share/doc/*' 'path-include /usr/share/doc/*/copyright' \
    'path-exclude /usr/share/info/*' 'path-exclude /usr/share/man/*' 'path-exclude /usr/share/locale/*' \
    'path-exclude /usr/share/lintian/*' > "$root/etc/dpkg/dpkg.cfg.d/docker"
  rm -rf "$root"/usr/share/{info,man,locale,lintian}/* "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* \
    "$root"/var/log/{apt/*,*.log} "$root"/etc/{resolv.conf,hostname}
  find "$root/usr/share/doc" ! -type d ! -name copyright -delete
  tar --directory "$root" --numeric-owner --create . \
    | podman import --change 'CMD ["bash"]' - debian:bookworm-slim > /dev/null 2>&1
  rm -rf "$root"
  # The toolchain itself is lent to each build.
  printf '%s\n' 'FROM debian:bookworm-slim' \
    'RUN apt-get update -q && apt-get install -q --yes --no-install-recommends binutils-gold libicu-dev \
       libcurl4-openssl-dev libedit-dev libsqlite3-dev libncurses-dev libpython3-dev libxml2-dev pkg-config \
       uuid-dev tzdata git gcc libc6-dev libstdc++-12-dev && rm -rf /var/lib/apt/lists/*' \
    "ENV PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" > "$scratch/Dockerfile"
  mkdir -p "$scratch/empty"
  build --file "$scratch/Dockerfile" --tag swift:6.3-bookworm "$scratch/empty" > "$scratch/swift.log" 2>&1 \
    || { tail -20 "$scratch/swift.log" >&2; exit 1; }
}
