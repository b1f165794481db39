#!/bin/sh
# Signs in, deploys an ERC-20, mints, waits for the mint's intent, and reads what came of it.
# Needs curl 7.84. Variables: EMAIL, PASSWORD; API; ORDER, which names the purchase: the same one again mints nothing new.
set -eu
API=${API:-http://127.0.0.1:3000}
ORDER=${ORDER:-$(date +%s)-$$}
OWNER=0x3440326f551B8A7ee198cEE35cb5D517f2d296a2

# Sends a request and keeps its answer; an error is shown and ends the script. curl sends it again after 429 and 503, when
# Retry-After says: with an Idempotency-Key that is safe.
call() {
  answer=$(curl --silent --show-error --fail-with-body --retry 5 --retry-connrefused --retry-max-time 300 "$@") || {
    echo "$answer" >&2
    exit 1
  }
}

# A text of the answer by its name.
field() {
  printf '%s\n' "$answer" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

call "$API/auth/signin" --json '{"email":"'"$EMAIL"'","password":"'"$PASSWORD"'"}'
AUTH="Authorization: Bearer $(field token)"

# 202 instead of the address: the service has waited a minute. The same key waits on.
ADDRESS=
while [ -z "$ADDRESS" ]; do
  call "$API/tokens" -H "$AUTH" -H "Idempotency-Key: $ORDER-deploy" --json '{"type":"ERC20","name":"Alice Coin","symbol":"ALC"}'
  ADDRESS=$(field address)
done

# Answered as soon as the request is stored; its intent can be followed from here or from elsewhere.
call "$API/tokens/$ADDRESS/mint" -H "$AUTH" -H "Idempotency-Key: $ORDER-mint" -H 'Prefer: respond-async' \
  --json '{"owner":"'$OWNER'","amount":"1000000000000000000"}' --write-out '\n"intent":"%header{intent-id}"'
INTENT=$(field intent)

while :; do
  call "$API/intents/$INTENT" -H "$AUTH"
  case $(field status) in
    confirmed) break ;;
    failed | cancelled)
      echo "$answer" >&2
      exit 1
      ;;
  esac
  sleep 1
done
HASH=$(field hash)

call "$API/tokens/$ADDRESS" -H "$AUTH"
echo "$(field name) ($(field symbol)) is at $ADDRESS"
echo "minted in $HASH"
