#!/bin/sh
# The calls of both apps with curl, as somebody types them; the argument is the server's address.
set -eu
base=$1

call() { curl -q -sS --fail-with-body --noproxy '*' --max-time 20 "$@"; }

# Fails unless the second is the first.
equal() {
  [ "$1" = "$2" ] || { echo "expected $1, got $2" >&2; exit 1; }
}

species=$(call "$base/invasive/species/1")
equal '{"idspecies":1,"name":"Garlic Mustard","image":"'"$base"'/invasive/images/garlic-mustard.png"}' "$species"
equal 'PNG' "$(call "$base/invasive/images/garlic-mustard.png" | head -c 4 | tail -c 3)"
equal '{"idpark":13,"name":"Devil'"'"'s Lake State Park","county":"Sauk"}' "$(call "$base/invasive/parks/13")"
user='{"iduser":1,"username":"ada","password":"pw","realname":"Ada L.","phone":""}'
equal "$user" "$(call "$base/invasive/users" -d '{"username":"ada","password":"pw","realname":"Ada L."}')"
equal "$user" "$(call "$base/invasive/users?user=ada&password=pw")"
sighting='"user":1,"species":4,"park":13,"comment":"shore","date":"June 1"'
equal 1 "$(call "$base/invasive/observations" -d "{$sighting}")"
equal "[{\"idobservation\":1,$sighting}]" "$(call "$base/invasive/observations?user=1")"

key=$(call "$base/directory/users" -d '{"name":"ada","password":"pw"}')
equal "$key" "$(call "$base/directory/users?user=ada&password=pw")"
people=$base/directory/people/$key
equal 1 "$(call "$people" -d '{"name":"Grace","office":"B 12"}')"
equal 1 "$(call -X PUT "$people/1" -d '{"name":"Grace","office":"A 1"}')"
equal '[{"id":1,"name":"Grace","office":"A 1","user":1}]' "$(call "$people")"
equal 1 "$(call -X DELETE "$people/1")"
equal '[]' "$(call "$people")"
echo 'all calls were answered as they should be'
