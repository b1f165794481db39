/** One server of a connection string that may name several. */
export interface DatabaseHost {
  host: string;
  port: number;
}

const DEFAULT_PORT = 5432;
/** Scheme, user and password, hosts, and the rest. */
const PARTS = /^(\w+:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^]*)$/;

/**
 * The connection strings of each host of a URL that may name several between commas, as libpq's may, in their order:
 * before the path, or as `?host=one,other&port=5432,5433`. That of a single host is what was given.
 */
export function splitHosts(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  if (hosts.includes(',')) return hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`);
  const [place = '', query = ''] = rest.split('?');
  const parameters = new URLSearchParams(query);
  const named = parameters.get('host') ?? '';
  if (!named.includes(',')) return [url];
  const ports = (parameters.get('port') ?? '').split(',');
  parameters.delete('host');
  parameters.delete('port');
  return named.split(',').map((host, index) => {
    // One port is that of all hosts.
    const port = ports[ports.length === 1 ? 0 : index];
    return `${scheme}${user}${host}${port ? `:${port}` : ''}${place}?${parameters.toString()}`;
  });
}

/** Host and port of a connection string with one host. */
export function hostOf(url: string): DatabaseHost {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
}
