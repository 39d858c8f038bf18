import { go } from '../../navigation/location.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toasts.ts'
import { commentMessage, type LineComment } from './comment-message.ts'
import css from './comment-tray.module.css'

type Props = {
  run: string
  comments: readonly LineComment[]
  onSay: (text: string) => void
  onPut: (comments: readonly LineComment[]) => void
}

/** The unsent comments, with a button that sends them as one message. */
export function CommentTray({ run, comments, onSay, onPut }: Props) {
  if (comments.length === 0) return null
  const many = comments.length === 1 ? '1 comment' : `${comments.length} comments`
  const files = new Set(comments.map(({ path }) => path)).size
  return (
    <section className={css.tray} aria-label="Unsent comments">
      <span className={css.words} role="status">
        {many}
        {files > 1 && ` in ${files} files`}, not sent yet
      </span>
      <Button
        as="quiet"
        isSmall
        onClick={() => {
          onPut([])
          toast(`${many} discarded.`, { undo: () => onPut(comments) })
        }}
      >
        Discard
      </Button>
      <Button
        as="main"
        icon="send"
        isSmall
        onClick={() => {
          onSay(commentMessage(comments))
          onPut([])
          toast('Sending your comments to the agent.', {
            open: () => go({ is: 'run', run, part: 'talk', event: null }),
          })
        }}
      >
        Send to the agent
      </Button>
    </section>
  )
}
