import { Alert, Button, Text } from '@mantine/core';
import { Component } from 'react';
import type { ReactNode } from 'react';

/** Keeps a fault of one page from taking the rest away. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Alert role="alert" color="red" title="This page has a fault">
        <Text size="sm" className="break">
          {error.message}
        </Text>
        <Button size="xs" variant="default" mt="sm" onClick={() => location.reload()}>
          Reload
        </Button>
      </Alert>
    );
  }
}
