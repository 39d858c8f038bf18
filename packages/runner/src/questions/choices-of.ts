import { mainField } from '@farhand/protocol/forms/form-fields'
import { shortened } from '@farhand/protocol/text/plain-text'
import { isWithin } from '@farhand/protocol/wire/json-within'
import type { ReadAsk } from './read-ask.ts'

/** An option as users see it, and the value that the agent gets when it is chosen. */
export type ShownChoice = {
  shown: { optionId: string; name: string; kind?: string }
  value: string
}

/** The options of a question: long enough to be told apart, short enough for the log. */
export function choicesOf(asked: ReadAsk): ShownChoice[] {
  const whole = listed(asked, { id: 1000, name: 4096, kind: 100 })
  const shown = whole.slice(0, 100).map((choice) => choice.shown)
  return isWithin(shown, 32_768) ? whole : listed(asked, { id: 60, name: 180, kind: 40 })
}

type Most = { id: number; name: number; kind: number }

function listed(asked: ReadAsk, most: Most): ShownChoice[] {
  const all = valuesOf(asked)
  const values = new Set(all.map(({ value }) => value))
  return all.map(({ value, name, kind }, index) => {
    // Two ids cut at the same place would be the same.
    let optionId = value.length <= most.id && value.isWellFormed() ? value : `option-${index + 1}`
    while (optionId !== value && values.has(optionId)) optionId += '_'
    const shown = {
      optionId,
      name: shortened(name, most.name),
      ...(kind !== null && kind.length <= most.kind && { kind }),
    }
    return { value, shown }
  })
}

function valuesOf(asked: ReadAsk): { value: string; name: string; kind: string | null }[] {
  switch (asked.asks) {
    case 'permission':
    case 'choice':
      return asked.choices.map(({ optionId, name, kind }) => ({ value: optionId, name, kind }))
    case 'url':
      return [
        { value: 'accept', name: 'I have opened it', kind: null },
        { value: 'decline', name: 'Decline', kind: null },
      ]
    case 'form': {
      const field = mainField(asked.fields)
      if (field?.kind === 'choice')
        return field.choices.map(({ value, title }) => ({ value, name: title, kind: null }))
      // No fields: the agent only asks whether to go on.
      if (asked.fields.length === 0) {
        return [
          { value: 'accept', name: 'Accept', kind: null },
          { value: 'decline', name: 'Decline', kind: null },
        ]
      }
      if (field?.kind !== 'yes-no') return []
      return [
        { value: 'true', name: 'Yes', kind: null },
        { value: 'false', name: 'No', kind: null },
      ]
    }
  }
}
