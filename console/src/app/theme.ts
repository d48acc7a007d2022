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

export const theme = createTheme({
  colors: { ink, dark },
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
