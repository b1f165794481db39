import type { Page } from 'playwright-core';
import { until } from './until.ts';
import type { Documented } from '../../lab/stage/documented.ts';

/** What is changed before sending; everything else is sent as the page suggests it. */
export interface Changes {
  /** Name of an example body other than the first. */
  example?: string | undefined;
  /** Of the path, the query and the header, by name. */
  parameters?: Record<string, string> | undefined;
  body?: unknown;
  /** Typed in under Authentication, from where the page takes it for all operations with the same scheme. */
  token?: string | undefined;
}

export interface DocsClient {
  /** Opens an operation, changes it and sends it. Returns the answer of the service once the page shows it. */
  attempt(operation: Documented, changes?: Changes): Promise<{ status: number; body: unknown }>;
}

/** JSON without insignificant white space. */
const compact = (json: string): string => json.replaceAll(/\s+/g, '');

/** Opens the page and, with the button of one operation, the client in it that sends all of them. */
export async function openDocsClient(page: Page, url: string, first: Documented): Promise<DocsClient> {
  const idOf = ({ tags, method, path }: Documented): string =>
    `tag/${tags[0]}/${method.toUpperCase()}${path}`;
  // Another place of the same page would keep all operations that were opened there, and make each step slow.
  await page.goto('about:blank');
  await page.goto(`${url}/docs#${idOf(first)}`);
  const test = `Test Request (${first.method} ${first.path})`;
  await page.getByRole('button', { name: test, exact: true }).click();
  const dialog = page.locator('[role=dialog]');
  await dialog.getByRole('button', { name: 'Show sidebar' }).click();

  const open = async (operation: Documented, example: string | undefined): Promise<void> => {
    const entry = (id: string) => dialog.locator(`[data-sidebar-id$="/${id}"]`).getByRole('button');
    const link = entry(idOf(operation)).first();
    if (!(await link.isVisible())) await entry(`tag/${operation.tags[0]}`).first().click();
    const body = entry(idOf(operation)).filter({ hasText: new RegExp(`^${example}$`) });
    // A click on an open operation closes it and its examples.
    if (example === undefined || !(await body.isVisible())) await link.click();
    if (example !== undefined) await body.click();
    await dialog.getByRole('region', { name: `Request: ${operation.summary}`, exact: true }).waitFor();
  };

  const authenticate = async (token: string): Promise<void> => {
    const field = dialog.getByPlaceholder('Token');
    if (!(await field.isVisible())) await dialog.getByRole('button', { name: /^Authentication/ }).click();
    await field.fill(token);
  };

  return {
    attempt: async (operation, { example, parameters = {}, body, token } = {}) => {
      await open(operation, example);
      if (token !== undefined) await authenticate(token);
      for (const [name, value] of Object.entries(parameters))
        await dialog.locator(`tr[id="${name}"]`).getByRole('combobox', { name: 'Value' }).fill(value);
      if (body !== undefined) {
        const editor = dialog.locator('.cm-content[data-language=json][contenteditable=true]');
        await editor.fill(JSON.stringify(body));
      }
      const answered = page.waitForResponse(
        (response) =>
          response.request().method() === operation.method.toUpperCase() &&
          response.request().resourceType() === 'fetch',
      );
      await dialog
        .getByRole('button', { name: /Send \w+ request to / })
        .first()
        .click();
      const response = await answered;
      await dialog.getByText(new RegExp(`^${response.status()} `)).waitFor();
      const text = await response.text();
      if (text === '') return { status: response.status(), body: null };
      if (!(response.headers()['content-type'] ?? '').startsWith('application/json'))
        return { status: response.status(), body: text };
      const shown = dialog.locator('.scalar-code-block, .cm-content').last();
      await until(async () => compact(await shown.innerText()) === compact(text));
      return { status: response.status(), body: JSON.parse(text) as unknown };
    },
  };
}
