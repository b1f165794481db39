import { METHODS } from '../../http/document.ts';
import type { Operation } from '../../http/document.ts';
import type { Installation } from './home-page.ts';

type Method = Operation['method'];

/** As much of the contract as a list of its operations takes. */
export interface ListedContract {
  info: { summary: string; description: string };
  tags: { name: string; 'x-displayName': string; description: string }[];
  paths: Record<string, Partial<Record<Method, { tags: string[]; summary: string; operationId: string }>>>;
}

/**
 * The service for language models, as https://llmstxt.org has it: what it is, where the contract is, every operation.
 */
export function llmsText(
  { info, tags, paths }: ListedContract,
  { publicUrl, explorerUrl }: Installation,
): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...operation, path, method: method.toUpperCase() }] : [];
    }),
  );
  const sections = tags.map(({ name, 'x-displayName': title, description }) => {
    const own = operations.filter((operation) => operation.tags.includes(name));
    const lines = own.map(
      ({ method, path, summary, operationId }) => `- \`${method} ${path}\` (\`${operationId}\`): ${summary}`,
    );
    return `## ${title}\n\n${description}\n\n${lines.join('\n')}`;
  });
  return `# Mintmark

> ${info.summary}

The service is at ${publicUrl}. Register with an invite code (\`POST /v1/auth/register\`), sign in for an access token
(\`POST /auth/signin\`, then \`Authorization: Bearer TOKEN\`), or create an API key for servers (\`POST /v1/api-keys\`).

${info.description.trim()}

## Documents

- [OpenAPI as YAML](${publicUrl}/openapi.yaml): every operation, field and error
- [OpenAPI as JSON](${publicUrl}/openapi.json): the same
- [API reference](${publicUrl}/docs): for people, with each operation to try
- [Console](${publicUrl}/console): for people, to see and do everything on screen
- [Explorer](${explorerUrl}): transactions and tokens

${sections.join('\n\n')}
`;
}
