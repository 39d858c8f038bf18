import type { ContentImage } from '../../story/story.ts'
import css from './inline-image.module.css'

const kinds = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

/** A picture that came with the text itself: nothing is fetched for it, and none of it can run. */
export function InlineImage({ image }: { image: ContentImage }) {
  if (!kinds.test(image.mimeType)) return null
  return (
    <img className={css.image} src={`data:${image.mimeType};base64,${image.data}`} alt="from the agent" />
  )
}
