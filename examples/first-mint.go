// Signs in, deploys an ERC-20, mints, waits for the mint's intent, and reads what came of it.
//
// Needs Go 1.19 and nothing else. Variables: EMAIL, PASSWORD; API; ORDER, which names the purchase: the same one again
// mints nothing new.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	owner = "0x3440326f551B8A7ee198cEE35cb5D517f2d296a2"
	tries = 6
	// A longer Retry-After is not waited for.
	maxPause = time.Minute
)

// object is the JSON of a request.
type object map[string]any

// write is what makes a POST safe to send again, and how its answer is asked for.
type write struct {
	key    string
	prefer string
}

// answer is a success.
type answer struct {
	// Token is the secret that a sign-in answers; that of an intent is an object.
	Token   any    `json:"token"`
	Name    string `json:"name"`
	Symbol  string `json:"symbol"`
	Address string `json:"address"`
	// Data is what a write that is confirmed answers.
	Data struct {
		Address string `json:"address"`
	} `json:"data"`
	// Intent stands in its place when the service answers 202.
	Intent *struct {
		ID string `json:"id"`
	} `json:"intent"`
	// Status, Transaction and Error are those of an intent.
	Status      string `json:"status"`
	Transaction *struct {
		Hash string `json:"hash"`
	} `json:"transaction"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	intentID string
}

type client struct {
	api   string
	token string
	// http waits longer than the service waits for the chain.
	http http.Client
}

// call returns a success. A read, or a write with a key, is sent again after a broken connection: the service does it
// once. 429, and 409 of a request under the same key that is being accepted, say by Retry-After when to come back; after
// 503 the pause grows.
func (c *client) call(method, path string, body object, w write) (*answer, error) {
	for left := tries - 1; ; left-- {
		pause := time.Duration(1<<(tries-left)) * time.Second / 8
		response, text, err := c.send(method, path, body, w)
		switch {
		case err != nil:
			if left == 0 || method != http.MethodGet && w.key == "" {
				return nil, err
			}
		case response.StatusCode < 300:
			result := answer{intentID: response.Header.Get("Intent-Id")}
			return &result, json.Unmarshal(text, &result)
		default:
			after, noTime := strconv.Atoi(response.Header.Get("Retry-After"))
			if noTime == nil {
				pause = time.Duration(after) * time.Second
			}
			// Whatever an accepted write ended in stays so under its key.
			isFinal := response.Header.Get("Intent-Id") != "" || noTime != nil && response.StatusCode != http.StatusServiceUnavailable
			if isFinal || left == 0 || pause > maxPause {
				return nil, fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
			}
		}
		time.Sleep(pause)
	}
}

// send makes one request and reads its answer to the end.
func (c *client) send(method, path string, body object, w write) (*http.Response, []byte, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, nil, err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, c.api+path, content)
	if err != nil {
		return nil, nil, err
	}
	for name, value := range map[string]string{"Idempotency-Key": w.key, "Prefer": w.prefer} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

// deploy returns the address of the token. 202: the service has waited a minute; the same key waits on.
func (c *client) deploy(coin object, key string) (string, error) {
	for {
		deployed, err := c.call(http.MethodPost, "/tokens", coin, write{key: key})
		if err != nil {
			return "", err
		}
		if deployed.Intent == nil {
			return deployed.Data.Address, nil
		}
	}
}

// waitForIntent returns the hash of a confirmed intent's transaction.
func (c *client) waitForIntent(id string) (string, error) {
	for {
		intent, err := c.call(http.MethodGet, "/intents/"+id, nil, write{})
		if err != nil {
			return "", err
		}
		switch intent.Status {
		case "confirmed":
			return intent.Transaction.Hash, nil
		case "failed", "cancelled":
			return "", fmt.Errorf("intent %s %s: %+v", id, intent.Status, intent.Error)
		}
		time.Sleep(time.Second)
	}
}

func play(c *client, order string) error {
	credentials := object{"email": os.Getenv("EMAIL"), "password": os.Getenv("PASSWORD")}
	session, err := c.call(http.MethodPost, "/auth/signin", credentials, write{})
	if err != nil {
		return err
	}
	c.token, _ = session.Token.(string)

	address, err := c.deploy(object{"type": "ERC20", "name": "Alice Coin", "symbol": "ALC"}, order+"-deploy")
	if err != nil {
		return err
	}
	// Answered as soon as the request is stored; its intent can be followed from here or from elsewhere.
	mint := object{"owner": owner, "amount": "1000000000000000000"}
	minted, err := c.call(http.MethodPost, "/tokens/"+address+"/mint", mint, write{order + "-mint", "respond-async"})
	if err != nil {
		return err
	}
	hash, err := c.waitForIntent(minted.intentID)
	if err != nil {
		return err
	}
	token, err := c.call(http.MethodGet, "/tokens/"+address, nil, write{})
	if err != nil {
		return err
	}
	fmt.Printf("%s (%s) is at %s\nminted in %s\n", token.Name, token.Symbol, address, hash)
	return nil
}

func main() {
	log.SetFlags(0)
	api, order := os.Getenv("API"), os.Getenv("ORDER")
	if api == "" {
		api = "http://127.0.0.1:3000"
	}
	if order == "" {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			log.Fatal(err)
		}
		order = fmt.Sprintf("%x", random)
	}
	if err := play(&client{api: api, http: http.Client{Timeout: 90 * time.Second}}, order); err != nil {
		log.Fatal(err)
	}
}
