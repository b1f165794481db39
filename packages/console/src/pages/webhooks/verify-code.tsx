import { Box, Tabs, Text } from '@mantine/core';
import { CodeBlock } from '../../parts/code-block.tsx';

const TYPESCRIPT = `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '@mintmark/client/webhooks';

const secret = process.env.WEBHOOK_SECRET ?? '';
const seen = new Set<string>(); // better a table, which outlives the process

createServer(async (request, response) => {
  try {
    const event = verifyWebhook({ secret, body: await buffer(request), headers: request.headers });
    if (!seen.has(event.id)) console.log(event.type, event.data);
    seen.add(event.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(4000);`;

const PYTHON = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen = set()  # better a table, which outlives the process


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except Exception:
            self.send_response(401)
        else:
            if self.headers["webhook-id"] not in seen:
                print(event["type"], event["data"], flush=True)
            seen.add(self.headers["webhook-id"])
            self.send_response(204)
        self.end_headers()


HTTPServer(("127.0.0.1", 4000), Receiver).serve_forever()`;

const LANGUAGES = { TypeScript: TYPESCRIPT, Python: PYTHON };

/** How a receiver checks the signature of a message and drops repeats, as a program to start from. */
export function VerifyCode() {
  return (
    <Box>
      <Text size="sm" mb="xs">
        Your server checks the signature of each message before it believes it, drops what it has seen (a
        message may come more than once), and answers 2xx:
      </Text>
      <Tabs defaultValue="TypeScript">
        <Tabs.List aria-label="Language of the receiver">
          {Object.keys(LANGUAGES).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(LANGUAGES).map(([name, text]) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock text={text} name="Receiver" />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Box>
  );
}
