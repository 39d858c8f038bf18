import { useEffect, useRef } from 'react'
import { renderList } from '../ui/render-list.ts'
import css from './suggestion-list.module.css'
import type { Suggestion, Suggestions } from './use-suggestions.ts'

type Props = {
  id: string
  suggestions: Suggestions
  chosen: number
  onChoose: (suggestion: Suggestion) => void
}

/** The suggestions above the message field. The field keeps the focus and names the selected entry. */
export function SuggestionList({ id, suggestions, chosen, onChoose }: Props) {
  const { typed, list, isLoading } = suggestions
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <div
      ref={box}
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={typed.is === 'command' ? 'Commands of the agent' : 'Files'}
      className={css.list}
    >
      {isLoading && <div className={css.loading}>Looking for files…</div>}
      {list.map((one, at) => (
        <div
          key={one.insert}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          className={css.option}
          // Without this the field would lose the focus, and a phone would close its keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(one)}
          onKeyDown={(event) => event.key === 'Enter' && onChoose(one)}
        >
          <span className={typed.is === 'file' ? css.path : css.command} dir="auto">
            <Marked text={one.name} at={one.at} />
          </span>
          {one.note && (
            <span className={css.note} dir="auto">
              {one.note}
            </span>
          )}
        </div>
      ))}
    </div>
  )
}

function Marked({ text, at }: { text: string; at: readonly number[] }) {
  if (at.length === 0) return text
  const places = new Set(at)
  return renderList(text.split(''), (letter, nth) => (places.has(nth) ? <b>{letter}</b> : letter))
}
