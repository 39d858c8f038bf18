import type { ToolContent } from '@farhand/story/items/story'
import { useState } from 'react'
import { OutputText } from '../../output/output-text.tsx'
import { Button } from '../../ui/button.tsx'
import css from './tool-view.module.css'

type Props = {
  content: Extract<ToolContent, { is: 'blob' }>
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

/** A long output: the log has its beginning, and the rest is fetched on request. */
export function BlobOutput({ content, fetchBlob }: Props) {
  const [whole, setWhole] = useState<string | null>(null)
  const [words, setWords] = useState<string | null>(null)
  const fetchWhole = async () => {
    setWords('Loading')
    try {
      setWhole(new TextDecoder().decode(await fetchBlob(content.hash)))
    } catch (error) {
      setWords(`It could not be loaded: ${(error as Error).message}`)
    }
  }
  if (whole !== null) return <OutputText text={whole} label="output" />
  return (
    <div>
      <OutputText text={content.head} label="beginning of the output" />
      <p className={css.note}>
        {words ?? 'This is the beginning.'}{' '}
        <Button isSmall onClick={fetchWhole}>
          Show all {Math.ceil(content.size / 1000)} KB
        </Button>
      </p>
    </div>
  )
}
