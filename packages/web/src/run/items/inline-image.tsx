import type { ContentImage } from '@farhand/story/items/story'
import css from './inline-image.module.css'

const kinds = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

/** An image inside an event: nothing is fetched for it, and it cannot run scripts. */
export function InlineImage({ image }: { image: ContentImage }) {
  if (!kinds.test(image.mimeType)) return null
  return (
    <img className={css.image} src={`data:${image.mimeType};base64,${image.data}`} alt="from the agent" />
  )
}
