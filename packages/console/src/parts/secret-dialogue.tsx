import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * A dialogue that ends with a secret, which is shown this once: neither a click beside it nor a key takes it away, its
 * own buttons alone do.
 */
export function SecretDialogue({
  isOpen,
  onClose,
  title,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>{title}</Text>}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {children}
    </Modal>
  );
}
