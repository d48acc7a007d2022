import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** The blue of the house's icon. */
const ink: MantineColorsTuple = [
  '#eff4fa',
  '#dce6f1',
  '#b8cce2',
  '#8fafd1',
  '#6b94c0',
  '#5480b0',
  '#3f6a99',
  '#335a85',
  '#26415f',
  '#1a2e45',
]

const dark: MantineColorsTuple = [
  '#dfe4ea',
  '#b9c1cb',
  '#98a2ae',
  '#76818e',
  '#414b57',
  '#323b46',
  '#262d36',
  '#1b2129',
  '#151a21',
  '#0f1318',
]

/** White text on Mantine's own red has too little contrast. */
const red: MantineColorsTuple = [
  '#fdecea',
  '#fbd5d1',
  '#f5aaa3',
  '#ee7f76',
  '#e5584d',
  '#d9473b',
  '#c93a30',
  '#b3261e',
  '#8f1d17',
  '#6d1510',
]

export const theme = createTheme({
  colors: { ink, dark, red },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { centered: true, size: 'md', transitionProps: { duration: 0 } } },
    // The head of a dialog is a <header>, which would be a second banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    Button: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 300, fz: 'xs' } },
  },
})

/** Mantine's own greys and reds are too faint for small text. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566270',
    '--mantine-color-placeholder': '#67727f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-text': '#17202b',
    '--mantine-color-anchor': '#2b5585',
  },
  dark: {
    '--mantine-color-dimmed': '#9fa9b5',
    '--mantine-color-placeholder': '#8b96a3',
    '--mantine-color-error': '#ff9b94',
    '--mantine-color-anchor': '#9cc0e8',
    '--mantine-color-body': '#12171d',
  },
})
