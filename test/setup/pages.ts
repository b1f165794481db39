/** A page of the explorer, as far as tests read it. */
export interface TestPage {
  status: number;
  headers: Headers;
  /** The markup. */
  text: string;
  /** Names and values of the first table, without markup. */
  facts: Record<string, string>;
  /** Text of each card, without markup. */
  cards: string[];
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of markup. */
export const readText = (markup: string): string =>
  markup
    .replaceAll(/<\/?(?:a|bdi|code|span|strong|time)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
    .trim();

const readFacts = (markup: string): Record<string, string> =>
  Object.fromEntries(
    [...markup.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, name, value]) => [
      readText(name!),
      readText(value!),
    ]),
  );

/** Opens a page without a credential and without following redirects. */
export async function openPage(url: string): Promise<TestPage> {
  const response = await fetch(url, { redirect: 'manual' });
  const text = await response.text();
  const [first = ''] = /<dl.*?<\/dl>/s.exec(text) ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    facts: readFacts(first),
    cards: [...text.matchAll(/<article.*?<\/article>/gs)].map(([card]) => readText(card)),
  };
}
