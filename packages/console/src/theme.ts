import { createTheme } from '@mantine/core';
import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core';

/** The colour of the service's mark, in its shades. */
const brand: MantineColorsTuple = [
  '#effcf9',
  '#d5f5ee',
  '#aeebdf',
  '#7fdccc',
  '#4fc7b6',
  '#2aab9b',
  '#178a7e',
  '#0f766e',
  '#0f5f59',
  '#0e4a46',
];

const dark: MantineColorsTuple = [
  '#e6e9ee',
  '#b9c0cb',
  '#98a1af',
  '#6d7685',
  '#3b4351',
  '#2b323e',
  '#222832',
  '#181c24',
  '#12151b',
  '#0c0e12',
];

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 7 },
  colors: { brand, dark },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm', fw: 500 } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        padding: 'xl',
        closeButtonProps: { 'aria-label': 'Close' },
        // A header within a dialogue is none of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    // In their place in the document, so that they belong to a landmark.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    Combobox: { defaultProps: { withinPortal: false } },
    Popover: { defaultProps: { withinPortal: false } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Paper: { defaultProps: { radius: 'lg' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
});

/** Of both schemes: Mantine sets them in each, which wins over what is set for all. */
const RED_BUTTONS = {
  '--mantine-color-red-filled': '#c92a2a',
  '--mantine-color-red-filled-hover': '#b02525',
};

/** Quiet text that is still read easily: at least 4.5:1 on every ground of the console. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...RED_BUTTONS,
    '--mantine-color-dimmed': '#586274',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#0f766e',
    '--mantine-color-placeholder': '#6b7484',
    ...{ '--mantine-color-red-text': '#b3261e', '--mantine-color-red-light-color': '#9c1c15' },
    ...{ '--mantine-color-green-text': '#17693a', '--mantine-color-green-light-color': '#17602f' },
    '--mantine-color-orange-light-color': '#8a3208',
    '--mantine-color-blue-light-color': '#17498f',
    '--mantine-color-gray-light-color': '#3b4351',
    '--ground': '#f7f8fa',
    '--line': '#e4e7ec',
  },
  dark: {
    ...RED_BUTTONS,
    '--mantine-color-dimmed': '#98a1af',
    '--mantine-color-error': '#ff9f95',
    '--mantine-color-anchor': '#5eead4',
    '--mantine-color-placeholder': '#8b95a5',
    ...{ '--mantine-color-red-text': '#ff9f95', '--mantine-color-green-text': '#86dba6' },
    '--ground': '#12151b',
    '--line': '#2b323e',
  },
});
