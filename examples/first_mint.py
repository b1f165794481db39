"""Signs in, deploys an ERC-20, mints, waits for the mint's intent, and reads what came of it.

Needs Python 3.9 and nothing else. Variables: EMAIL, PASSWORD; API; ORDER, which names the purchase: the same one again
mints nothing new.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
import uuid

API = os.environ.get("API", "http://127.0.0.1:3000")
ORDER = os.environ.get("ORDER") or str(uuid.uuid4())
OWNER = "0x3440326f551B8A7ee198cEE35cb5D517f2d296a2"
TRIES = 6
MAX_PAUSE_SECONDS = 60


class Refused(Exception):
    """An error of the service, or an intent that failed."""


class Mintmark:
    def __init__(self, token=None):
        self.token = token

    def call(self, method, path, body=None, key=None, prefer=None):
        """Returns headers and JSON of a success.

        A read, or a write with a key, is sent again after a broken connection: the service does it once. 429, and 409 of a
        request under the same key that is being accepted, say by Retry-After when to come back; after 503 the pause grows.
        """
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if key:
            headers["Idempotency-Key"] = key
        if prefer:
            headers["Prefer"] = prefer
        data = None if body is None else json.dumps(body).encode()
        for left in reversed(range(TRIES)):
            request = urllib.request.Request(API + path, data, headers, method=method)
            pause = 2 ** (TRIES - left) / 8
            try:
                # Longer than the service waits for the chain.
                with urllib.request.urlopen(request, timeout=90) as response:
                    return response.headers, json.load(response)
            except urllib.error.HTTPError as error:
                after = error.headers["Retry-After"]
                # Whatever an accepted write ended in stays so under its key.
                is_final = error.headers["Intent-Id"] or not (after or error.code == 503)
                pause = float(after or pause)
                if is_final or left == 0 or pause > MAX_PAUSE_SECONDS:
                    raise Refused(f"{error.code} {error.read().decode()}") from None
            except (OSError, http.client.HTTPException):
                if left == 0 or not (method == "GET" or key):
                    raise
            time.sleep(pause)

    def write(self, path, body, key):
        """Returns the JSON of a write that is confirmed. 202: the service has waited a minute; the same key waits on."""
        while True:
            _, answer = self.call("POST", path, body, key)
            if "intent" not in answer:
                return answer

    def wait_for_intent(self, intent_id):
        """Returns a confirmed intent."""
        while True:
            _, intent = self.call("GET", f"/intents/{intent_id}")
            if intent["status"] == "confirmed":
                return intent
            if intent["status"] in ("failed", "cancelled"):
                raise Refused(f"{intent_id} {intent['status']}: {intent['error']}")
            time.sleep(1)


def main():
    credentials = {"email": os.environ["EMAIL"], "password": os.environ["PASSWORD"]}
    _, session = Mintmark().call("POST", "/auth/signin", credentials)
    mintmark = Mintmark(session["token"])

    coin = {"type": "ERC20", "name": "Alice Coin", "symbol": "ALC"}
    address = mintmark.write("/tokens", coin, f"{ORDER}-deploy")["data"]["address"]

    # Answered as soon as the request is stored; its intent can be followed from here or from elsewhere.
    mint = {"owner": OWNER, "amount": str(10**18)}
    headers, _ = mintmark.call("POST", f"/tokens/{address}/mint", mint, f"{ORDER}-mint", "respond-async")
    intent = mintmark.wait_for_intent(headers["Intent-Id"])

    _, token = mintmark.call("GET", f"/tokens/{address}")
    print(f"{token['name']} ({token['symbol']}) is at {address}")
    print(f"minted in {intent['transaction']['hash']}")


if __name__ == "__main__":
    main()
