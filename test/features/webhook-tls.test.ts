import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../setup/until.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import type { ServiceProcess } from '../../lab/stage/service-process.ts';
import { createAuthority } from '../../lab/stage/authority.ts';
import type { Authority, Identity } from '../../lab/stage/authority.ts';
import { createKey } from '../../lab/stage/collections.ts';
import type { TestKey } from '../../lab/stage/collections.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { isSignedWith, startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

const openssl = await findProgram('openssl', 'openssl');

(openssl ? describe : describe.skip)('a receiver behind TLS', () => {
  let trusted: Authority;
  let stranger: Authority;
  let mintmark: TestService;
  let service: ServiceProcess;
  let key: TestKey;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    [trusted, stranger, mintmark] = await Promise.all([
      createAuthority(openssl!),
      createAuthority(openssl!),
      startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' }),
    ]);
    key = await createKey(mintmark, await mintmark.register());
    // Node reads its trusted authorities at start, so the service needs a process of its own.
    await mintmark.service.stop();
    service = await spawnService({ ...mintmark.environment, NODE_EXTRA_CA_CERTS: trusted.file });
  });

  afterAll(async () => {
    await service?.kill('SIGTERM');
    for (const receiver of receivers) await receiver.stop();
    await mintmark?.stop();
    await Promise.all([trusted?.close(), stranger?.close()]);
  });

  /**
   * Sends a test event to a receiver with this identity. Returns what it received, and the entry of the delivery log.
   */
  async function deliver(identity: Identity) {
    const receiver = await startReceiver(identity);
    receivers.push(receiver);
    const url = receiver.urlOf('hook');
    const { data: webhook } = await key.api.POST('/v1/webhooks', { body: { url } });
    const params = { path: { id: webhook!.id } };
    await key.api.POST('/v1/webhooks/{id}/test', { params });
    const entry = await until(async () => {
      const { data } = await key.api.GET('/v1/webhooks/{id}/deliveries', { params });
      return data!.data.find(({ attempts }) => attempts > 0);
    });
    return { url, secret: webhook!.secret!, received: receiver.received, entry };
  }

  test('gets messages when its authority is trusted, with the host name of the URL as server name', async () => {
    const { url, secret, received, entry } = await deliver(await trusted.issue('localhost'));
    expect(received).toHaveLength(1);
    const [message] = received;
    expect(message!.servername).toBe('localhost');
    expect(message!.headers.host).toBe(new URL(url).host);
    expect(isSignedWith(secret, message!)).toBe(true);
    expect(entry).toMatchObject({ status: 'delivered', responseStatus: 204, error: null });
  });

  const refused = (error: string) => ({
    received: [],
    entry: { status: 'pending', responseStatus: null, error },
  });

  test('gets none when its certificate is for another name', async () => {
    expect(await deliver(await trusted.issue('elsewhere.example'))).toMatchObject(
      refused('The certificate of the host is for another name'),
    );
  });

  test('gets none when its authority is not trusted', async () => {
    expect(await deliver(await stranger.issue('localhost'))).toMatchObject(
      refused('The certificate or the TLS of the host is not valid (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'),
    );
  });
});
