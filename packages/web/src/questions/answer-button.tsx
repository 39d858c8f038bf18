import { useShortcut } from '../navigation/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import type { AnswerChoice } from './answer-controls.ts'
import css from './questions.module.css'

type Props = {
  choice: AnswerChoice
  /** The digit key that presses it; null for none. */
  digit: number | null
  isMain: boolean
  isDisabled: boolean
  onPress: (answer: string) => void
}

/** One option of a question. It shows its key on devices with a keyboard. */
export function AnswerButton({ choice, digit, isMain, isDisabled, onPress }: Props) {
  const { name, note, answer, tone, isDefault } = choice
  const press = () => isDisabled || onPress(answer)
  return (
    <Button
      as={isMain ? 'main' : tone === 'reject' ? 'danger' : 'plain'}
      className={css.choice}
      disabled={isDisabled}
      // Ignore the second half of a double click, whose first half was for something else.
      onClick={({ detail }) => detail < 2 && press()}
    >
      {digit !== null && <AnswerKey digit={digit} name={name} onPress={press} />}
      <span className={css.name} dir="auto">
        {name}
        {isDefault && <span className={css.mark}> (default)</span>}
        {note && <span className={css.note}>{note}</span>}
      </span>
    </Button>
  )
}

function AnswerKey({ digit, name, onPress }: { digit: number; name: string; onPress: () => void }) {
  useShortcut(String(digit), `Answer: ${name}`, 'Question', onPress)
  return (
    <span className={css.key} aria-hidden="true">
      {digit}
    </span>
  )
}
