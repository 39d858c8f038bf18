import type { AgentCommand } from '@farhand/story/items/story'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import css from './message-field.module.css'
import { SuggestionList } from './suggestion-list.tsx'
import { withCompletion } from './typed-text.ts'
import { type Suggestion, useSuggestions } from './use-suggestions.ts'

type Props = {
  ref: Ref<HTMLTextAreaElement>
  text: string
  placeholder: string
  commands: readonly AgentCommand[]
  files: () => Promise<readonly string[]>
  onText: (text: string) => void
  /** `now`: into the running turn, not after it. */
  onSend: (now: boolean) => void
  onFiles: (files: readonly File[]) => void
}

const growsByItself = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')
/** On a device without a keyboard, Enter has to insert a new line. */
const hasKeyboard = () => matchMedia('(hover: hover) and (pointer: fine)').matches

/** The message field. It suggests commands and files while the user types their names. */
export function MessageField({ ref, text, placeholder, commands, files, onText, onSend, onFiles }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(text.length)
  const [chosen, setChosen] = useState(0)
  const [isShut, setShut] = useState(false)
  const found = useSuggestions(text, caret, commands, files)
  const suggestions = isShut ? null : found
  const query = found && `${found.typed.is} ${found.typed.from} ${found.typed.query}`
  const id = useId()

  // A new query gives a new list: select its first entry.
  const [listed, setListed] = useState(query)
  if (listed !== query) {
    setListed(query)
    setChosen(0)
    setShut(false)
  }
  useLayoutEffect(() => {
    const area = field.current
    if (growsByItself || !area) return
    area.style.height = 'auto'
    if (text !== '') area.style.height = `${area.scrollHeight + 2}px`
  }, [text])

  const choose = (suggestion: Suggestion) => {
    if (!suggestions) return
    const next = withCompletion(text, suggestions.typed, suggestion.insert)
    // The caret can only be set after the text is in the field. One frame later it would jump while the user types on.
    flushSync(() => {
      onText(next.text)
      setCaret(next.caret)
    })
    field.current?.focus()
    field.current?.setSelectionRange(next.caret, next.caret)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Safari ends a composition before it sends the Enter that ended it; key code 229 marks that Enter.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    const many = suggestions?.list.length ?? 0
    const marked = suggestions?.list[chosen]
    if (many > 0 && event.key === 'ArrowDown') setChosen((chosen + 1) % many)
    else if (many > 0 && event.key === 'ArrowUp') setChosen((chosen + many - 1) % many)
    else if (marked && (event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey) choose(marked)
    else if (suggestions && event.key === 'Escape') setShut(true)
    // Outside the field, single-key shortcuts work again.
    else if (event.key === 'Escape') event.currentTarget.blur()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend(event.shiftKey)
    else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && hasKeyboard()) onSend(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files]
    if (pasted.length === 0) return
    event.preventDefault()
    onFiles(pasted)
  }
  const isShown = suggestions !== null && (suggestions.list.length > 0 || suggestions.isLoading)
  return (
    <div className={css.box}>
      {isShown && <SuggestionList id={id} suggestions={suggestions} chosen={chosen} onChoose={choose} />}
      <textarea
        ref={(area) => {
          field.current = area
          if (typeof ref === 'function') ref(area)
          else if (ref) ref.current = area
        }}
        className={text.trimStart().startsWith('!') ? `${css.field} ${css.shell}` : css.field}
        rows={1}
        dir="auto"
        data-passes-keys=""
        value={text}
        placeholder={placeholder}
        aria-label="Message"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isShown ? id : undefined}
        aria-activedescendant={isShown && suggestions.list.length > 0 ? `${id}-${chosen}` : undefined}
        enterKeyHint={hasKeyboard() ? 'send' : 'enter'}
        onChange={({ target }) => {
          onText(target.value)
          setCaret(target.selectionStart)
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onBlur={() => setShut(true)}
        onFocus={() => setShut(false)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <span className="visually-hidden" role="status">
        {isShown && suggestions.list.length > 0 ? `${suggestions.list.length} suggestions` : ''}
      </span>
    </div>
  )
}
