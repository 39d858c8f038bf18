import { cutBytes, shownText, wholeText } from '@farhand/story/items/cut-text'
import type { CutText } from '@farhand/story/items/story'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import css from './long-text.module.css'
import { type OpenProps, type OpenSections, useOpenSection } from './open-sections.ts'
import { OutputText } from './output-text.tsx'

/** What shows an item with a text of which the log may have only the beginning. */
export type LongProps<Item> = OpenProps<Item> & { fetchBlob: (hash: string) => Promise<Uint8Array> }

type Props = {
  /** The text, and its first event. */
  item: CutText & { id: number }
  openSections: OpenSections
  fetchBlob: (hash: string) => Promise<Uint8Array>
  /** Renders the known part of the text. */
  children: (text: string) => ReactNode
}

/** Laying out more would block the page. */
const mostLaidOut = 500_000

/** A text of which the log may have only the beginning. The rest is fetched on request. */
export function LongText({ item, openSections, fetchBlob, children }: Props) {
  // The choice survives scrolling the row out of the virtual list.
  const [isWanted, toggle] = useOpenSection(openSections, `whole ${item.id}`, false)
  const [whole, setWhole] = useState<string | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const { cuts } = item
  const want = () => {
    setTrouble(null)
    toggle()
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
            ? 'Loading'
            : trouble === null
              ? 'This is only the beginning.'
              : `It could not be loaded: ${trouble}`}
          <Button isSmall disabled={isWanted} onClick={want}>
            Show all {Math.ceil(cutBytes(item) / 1000).toLocaleString('en')} KB
          </Button>
        </p>
      )}
    </>
  )
}
