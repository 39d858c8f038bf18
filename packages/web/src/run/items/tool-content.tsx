import type { ToolContent as Content, ToolItem } from '@farhand/story/items/story'
import { pathShown, toolOutput, toolTitle, valueInWords } from '@farhand/story/wording/tool-in-words'
import { useState } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { safeLink } from '../../markdown/safe-link.ts'
import { AskedText } from '../../output/asked-text.tsx'
import { OutputText } from '../../output/output-text.tsx'
import { Button } from '../../ui/button.tsx'
import { renderList } from '../../ui/render-list.ts'
import { DiffLines } from './diff-lines.tsx'
import { InlineImage } from './inline-image.tsx'
import css from './tool-view.module.css'

type Whole = { fetchBlob: (hash: string) => Promise<Uint8Array> }

/** The inside of a tool card: input, content and output. */
export function ToolContent({ item, fetchBlob }: { item: ToolItem } & Whole) {
  const output = toolOutput(item)
  const input =
    item.command === null && item.content.every(({ is }) => is !== 'diff') ? valueInWords(item.input) : ''
  // The head of the card already shows a short command.
  const isSaid = item.status === 'completed' && item.command === toolTitle(item) && item.command.length <= 32
  const isBare = item.content.length === 0 && output === '' && item.command === null
  return (
    <div className={css.inside}>
      {item.command !== null && !isSaid && <AskedText className={css.command} text={`$ ${item.command}`} />}
      {input !== '' && input !== '{}' && (isBare || output !== '') && (
        <OutputText text={input} label="input" />
      )}
      {renderList(item.content, (content) => (
        <Part content={content} item={item} fetchBlob={fetchBlob} />
      ))}
      {output !== '' && <OutputText text={output} label="output" isError={item.status === 'failed'} />}
    </div>
  )
}

function Part({ content, item, fetchBlob }: { content: Content; item: ToolItem } & Whole) {
  switch (content.is) {
    case 'text':
      // Output of most tools is literal; these kinds usually return markdown.
      return item.what === 'think' || item.what === 'switch_mode' || item.what === 'fetch' ? (
        <div className={css.prose}>
          <Markdown text={content.text} />
        </div>
      ) : (
        <OutputText text={unfenced(content.text)} label="output" isError={item.status === 'failed'} />
      )
    case 'diff':
      return (
        <>
          {pathShown(content.path, item.workspace) !== toolTitle(item) && (
            <div className={css.path} dir="auto">
              {pathShown(content.path, item.workspace)}
            </div>
          )}
          <DiffLines path={content.path} before={content.before} after={content.after} />
        </>
      )
    case 'image':
      return (
        <div className={css.prose}>
          <InlineImage image={content.image} />
        </div>
      )
    case 'link': {
      const to = safeLink(content.uri)
      return (
        <div className={css.path} dir="auto">
          {to ? (
            <a href={to} target="_blank" rel="noopener noreferrer nofollow">
              {content.name}
            </a>
          ) : (
            content.name
          )}
        </div>
      )
    }
    case 'blob':
      return <BlobOutput content={content} fetchBlob={fetchBlob} />
  }
}

/** Agents often wrap command output in a code fence. */
const unfenced = (text: string) => /^```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text

type Props = {
  content: Extract<Content, { is: 'blob' }>
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

/** A long output: the log has its beginning, and the rest is fetched on request. */
function BlobOutput({ content, fetchBlob }: Props) {
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
