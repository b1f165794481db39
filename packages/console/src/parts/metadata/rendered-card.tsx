import { Box, Paper, SimpleGrid, Text } from '@mantine/core';
import type { components } from '../../../../../generated/api.ts';
import { TokenPicture } from './token-picture.tsx';

export type Rendered = components['schemas']['RenderedMetadata'];

/** A token as marketplaces read it: what `tokenURI` or `contractURI` renders. */
export function RenderedCard({ rendered, hasPicture = true }: { rendered: Rendered; hasPicture?: boolean }) {
  const { name, description, image, attributes = [] } = rendered;
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      {(hasPicture || image !== undefined) && <TokenPicture image={image} alt={`Picture of ${name}`} />}
      <Box p="md">
        <Text fw={600} className="break" component="div">
          <bdi>{name}</bdi>
        </Text>
        {description !== undefined && description !== '' && (
          <Text
            size="sm"
            c="dimmed"
            mt={4}
            className="break"
            component="div"
            mah={200}
            tabIndex={description.length > 400 ? 0 : undefined}
            style={{ whiteSpace: 'pre-wrap', overflowY: 'auto' }}
          >
            <bdi>{description}</bdi>
          </Text>
        )}
        {attributes.length > 0 && (
          <SimpleGrid cols={2} spacing="xs" mt="md" component="dl" mb={0}>
            {attributes.map(({ trait_type, value }, index) => (
              <Paper key={index} bg="var(--ground)" px="sm" py={6} radius="md">
                <Text size="xs" c="dimmed" component="dt" className="break">
                  <bdi>{trait_type}</bdi>
                </Text>
                <Text size="sm" component="dd" m={0} className="break">
                  <bdi>{String(value)}</bdi>
                </Text>
              </Paper>
            ))}
          </SimpleGrid>
        )}
      </Box>
    </Paper>
  );
}
