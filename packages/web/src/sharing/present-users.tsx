import type { Presence } from '@farhand/protocol/schemas/sharing'
import { memo } from 'react'
import css from './sharing.module.css'

/** Who else looks at the run: without the user of this page. */
export function othersOf(presence: Presence | null, me: string | null): Presence {
  if (presence === null) return { people: [], guests: 0 }
  return { ...presence, people: presence.people.filter(({ user }) => user !== me) }
}

const mostShown = 4

/** The initials of those who look at the run, and who of them is typing. */
export const PresentUsers = memo(function PresentUsers({ people, guests }: Presence) {
  if (people.length === 0 && guests === 0) return null
  const more = people.length - mostShown
  const words = [presentInWords({ people, guests }), typingInWords(people)].filter(Boolean).join('. ')
  return (
    <div className={css.present} role="status" aria-label={words} title={words}>
      {people.slice(0, mostShown).map(({ user, name, isTyping }) => (
        <span key={user} className={css.initials} data-typing={isTyping || undefined} aria-hidden="true">
          {initialsOf(name)}
        </span>
      ))}
      {more > 0 && <span aria-hidden="true">+{more}</span>}
      {guests > 0 && <span>{guestsInWords(guests)}</span>}
      {typingInWords(people) && (
        <span className={css.typing} dir="auto">
          {typingInWords(people)}
        </span>
      )}
    </div>
  )
})

/** Up to two letters that stand for a name. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/u).filter((word) => word !== '')
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return letters.map((word) => [...word][0]!.toUpperCase()).join('') || '?'
}

export function typingInWords(people: Presence['people']): string | null {
  const names = people.filter(({ isTyping }) => isTyping).map(({ name }) => name)
  if (names.length === 0) return null
  if (names.length > 2) return `${names.length} people are typing`
  return names.length === 1 ? `${names[0]} is typing` : `${names[0]} and ${names[1]} are typing`
}

function presentInWords({ people, guests }: Presence): string {
  const who = people.map(({ name }) => name)
  if (guests > 0) who.push(guestsInWords(guests))
  return `Also looking: ${who.join(', ')}`
}

const guestsInWords = (guests: number) => (guests === 1 ? '1 guest' : `${guests} guests`)
