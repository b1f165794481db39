import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken } from '../../lab/stage/tokens.ts';

interface Link {
  traceId: string;
  spanId: string;
}

interface Span extends Link {
  name: string;
  parentSpanId?: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: Link[];
  status: { code?: number };
}

/** A request of OTLP, as far as it is read here. */
interface Export {
  resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[];
}

/** A collector that takes OTLP over HTTP in JSON, and nothing else. */
async function startCollector() {
  const spans: Span[] = [];
  const services = new Set<string>();
  let text = '';
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      text += body;
      expect([request.method, request.url]).toEqual(['POST', '/v1/traces']);
      for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
        services.add(attribute(resource, 'service.name') as string);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    services,
    text: () => text,
    stop: () => server.close(),
  };
}

function attribute({ attributes }: Pick<Span, 'attributes'>, key: string) {
  const value = attributes.find((candidate) => candidate.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
}

const ofTrace = (spans: Span[], traceId: string) => spans.filter((span) => span.traceId === traceId);

function byName(spans: Span[], name: string): Span {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

const linksTo = (span: Span, { traceId, spanId }: Link): boolean =>
  (span.links ?? []).some((link) => link.traceId === traceId && link.spanId === spanId);

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let mintmark: TestService;
  let account: TestAccount;
  let intentId: string;
  let hash: string;
  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

  beforeAll(async () => {
    collector = await startCollector();
    mintmark = await startTestService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'mint-of-tests',
    });
    account = await mintmark.register();
    const address = await deployToken(account);
    const answer = await fetch(`${mintmark.url}/tokens/${address}/mint`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${account.token}`,
        traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
      },
      body: JSON.stringify({ owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '77' }),
    });
    expect(answer.status).toBe(200);
    intentId = answer.headers.get('Intent-Id')!;
    hash = ((await answer.json()) as { data: { transaction: { hash: string } } }).data.transaction.hash;
    await fetch(`${mintmark.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: account.email, password: 'not the password 4711' }),
    });
    // What is left is sent at the end.
    await mintmark.stop();
  });
  afterAll(() => void collector.stop());

  test("a request continues its caller's trace, with its steps and RPC calls", () => {
    const own = ofTrace(collector.spans, caller.traceId);
    const request = byName(own, 'POST /tokens/{address}/mint');
    expect(request.parentSpanId).toBe(caller.spanId);
    expect(request.kind).toBe(2);
    expect(attribute(request, 'http.response.status_code')).toBe(200);
    expect(attribute(request, 'mintmark.operation')).toBe('mintToken');
    for (const name of ['accept', 'wait']) expect(byName(own, name).parentSpanId).toBe(request.spanId);
  });

  test('request, intent and transaction are linked in both directions', () => {
    const { spans } = collector;
    const intent = byName(ofTrace(spans, intentId.replaceAll('-', '')), 'intent mint');
    const accept = byName(ofTrace(spans, caller.traceId), 'accept');
    expect(linksTo(accept, intent)).toBe(true);
    expect(linksTo(intent, accept)).toBe(true);

    const verdict = byName(ofTrace(spans, intent.traceId), 'final');
    expect(verdict.parentSpanId).toBe(intent.spanId);
    const settle = spans.find((span) => linksTo(verdict, span))!;
    expect(settle.name).toBe('settle');
    expect(settle.traceId).toBe(hash.slice(2, 34));

    const transaction = byName(ofTrace(spans, settle.traceId), 'transaction');
    expect(transaction.parentSpanId ?? '').toBe('');
    expect(settle.parentSpanId).toBe(transaction.spanId);
    expect(attribute(transaction, 'mintmark.hash')).toBe(hash);
    expect(linksTo(transaction, intent)).toBe(true);
    const broadcast = byName(ofTrace(spans, settle.traceId), 'broadcast');
    expect(broadcast.parentSpanId).toBe(transaction.spanId);
    expect(byName(ofTrace(spans, settle.traceId), 'eth_sendRawTransaction').parentSpanId).toBe(
      broadcast.spanId,
    );

    const dispatch = spans.find((span) => linksTo(transaction, span) && span.name === 'dispatch')!;
    const simulate = byName(ofTrace(spans, dispatch.traceId), 'simulate');
    expect(simulate.parentSpanId).toBe(dispatch.spanId);
    expect(byName(ofTrace(spans, dispatch.traceId), 'eth_call').parentSpanId).toBe(simulate.spanId);
  });

  test('have the configured service name', () => {
    expect([...collector.services]).toEqual(['mint-of-tests']);
  });

  test('contain no secrets and no text of users', () => {
    const login = byName(collector.spans, 'POST /v1/auth/login');
    expect(attribute(login, 'http.response.status_code')).toBe(401);
    const canaries = [
      account.token,
      account.cookie,
      account.password,
      account.email,
      'not the password 4711',
    ];
    canaries.push(mintmark.environment['SIGNER_KEY']!.slice(2), new URL(mintmark.databaseUrl).password);
    for (const canary of canaries) {
      expect(canary.length).toBeGreaterThan(3);
      expect(collector.text()).not.toContain(canary);
    }
    expect(collector.text()).not.toMatch(/127\.0\.0\.1|"0x02f8/);
  });
});

describe('an unreachable collector', () => {
  test('does not affect the service', async () => {
    await using running = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(await deployToken(await running.register())).toMatch(/^0x/);
  });
});

// prom-client loads the interface package, @opentelemetry/api, which does nothing by itself.
test('without an endpoint nothing of the OpenTelemetry SDK is loaded', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    process.on('exit', () => process.stdout.write(loaded.filter((url) => /opentelemetry\\/(?!api\\/)|src\\/start\\/compose/.test(url)).join()));
    await import('./src/start/service.ts');
    await import('./src/main.ts');
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    // A start that ends at its configuration: what it loads after that is loaded before.
    env: { ...process.env, PORT: 'none' },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/PORT is "none"/);
  expect(stdout).toMatch(/^[^,]*src\/start\/compose\.ts$/);
});
