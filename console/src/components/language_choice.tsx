import { NativeSelect } from '@mantine/core'
import { type Language, languageNames, useSpoken } from '../texts/texts.tsx'

export function LanguageChoice() {
  const { language, texts, speak } = useSpoken()
  return (
    <NativeSelect
      className="language-choice"
      size="xs"
      aria-label={texts.common.language}
      value={language}
      data={languageOptions}
      onChange={(event) => {
        const chosen = languageOptions.find((option) => option.value === event.currentTarget.value)
        if (chosen !== undefined) void speak(chosen.value)
      }}
    />
  )
}

const languageOptions = (Object.keys(languageNames) as Language[]).map((value) => ({
  value,
  label: languageNames[value],
}))
