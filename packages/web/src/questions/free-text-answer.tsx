import { type KeyboardEvent, type SubmitEvent, useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { answerDraft, saveAnswerDraft } from './answer-drafts.ts'
import css from './questions.module.css'

type Props = {
  question: string
  label: string
  isDisabled: boolean
  isMain: boolean
  onAnswer: (text: string) => void
}

/** A free-text answer. Enter sends it, Shift+Enter inserts a new line. */
export function FreeTextAnswer({ question, label, isDisabled, isMain, onAnswer }: Props) {
  const [text, setText] = useState(() => answerDraft(question))
  const [isTouched, setTouched] = useState(false)
  const id = useId()
  const send = () => {
    if (text.trim() === '' || isDisabled) return
    saveAnswerDraft(question, '')
    onAnswer(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Ignore the Enter that accepts a suggestion of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className={css.words}
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault()
        send()
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <textarea
        id={id}
        rows={1}
        dir="auto"
        placeholder={label}
        value={text}
        disabled={isDisabled}
        onChange={({ target }) => {
          setText(target.value)
          setTouched(true)
          saveAnswerDraft(question, target.value)
        }}
        onKeyDown={onKeyDown}
      />
      <Button
        as={isMain ? 'main' : 'plain'}
        type="submit"
        isGuarded={!isTouched}
        disabled={isDisabled || text.trim() === ''}
      >
        Send
      </Button>
    </form>
  )
}
