import { type ReactNode, useEffect, useState } from 'react'
import { cutBytes, shownText, wholeText } from '../story/cut-text.ts'
import type { CutText } from '../story/story.ts'
import { Button } from '../ui/button.tsx'
import css from './long-text.module.css'
import { type OpenSections, useOpenSection } from './open-sections.ts'
import { OutputText } from './output-text.tsx'

type Props = {
  /** The text, and the event that it began with. */
  item: CutText & { id: number }
  openSections: OpenSections
  fetchBlob: (hash: string) => Promise<Uint8Array>
  /** How it looks, as far as it is there. */
  children: (text: string) => ReactNode
}

/** A longer one would keep the page from answering while it is laid out. */
const mostLaidOut = 500_000

/** Of a very long text the log has the beginning, and the rest is fetched for who wants it. */
export function LongText({ item, openSections, fetchBlob, children }: Props) {
  // Whoever comes back to it by scrolling finds it as they left it.
  const [isWanted, turn] = useOpenSection(openSections, `whole ${item.id}`, false)
  const [whole, setWhole] = useState<string | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const { cuts } = item
  const want = () => {
    setTrouble(null)
    turn()
  }
  useEffect(() => {
    if (!isWanted || cuts.length === 0) return
    let isLeft = false
    const shows = (text: string) => !isLeft && setWhole(text)
    const fails = (error: Error) => {
      if (isLeft) return
      openSections.delete(`whole ${item.id}`)
      setTrouble(error.message)
    }
    wholeText(item, fetchBlob).then(shows, fails)
    return () => {
      isLeft = true
    }
  }, [isWanted, item, cuts, openSections, fetchBlob])
  if (whole !== null && isWanted)
    return whole.length > mostLaidOut ? <OutputText text={whole} label="text" /> : children(whole)
  return (
    <>
      {children(shownText(item))}
      {cuts.length > 0 && (
        <p className={css.more}>
          {isWanted
            ? 'Fetching it'
            : trouble === null
              ? 'This is not all of it.'
              : `It could not be fetched: ${trouble}`}
          <Button isSmall disabled={isWanted} onClick={want}>
            Show all {Math.ceil(cutBytes(item) / 1000).toLocaleString('en')} KB
          </Button>
        </p>
      )}
    </>
  )
}
