import { useEffect, useState } from 'react'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'
import { sizeInWords } from '../../text/size-in-words.ts'
import css from './image-pair.module.css'

type Image = { bytes: Uint8Array; mimeType: string }

/** An image before and after the change. */
export function ImagePair({
  path,
  before,
  after,
}: {
  path: string
  before: Image | null
  after: Image | null
}) {
  return (
    <div className={css.pair}>
      {before && <OneImage words={after ? 'Before' : 'Deleted'} path={path} image={before} />}
      {after && <OneImage words={before ? 'Now' : ''} path={path} image={after} />}
    </div>
  )
}

function OneImage({ words, path, image }: { words: string; path: string; image: Image }) {
  const [shape, setShape] = useState('')
  const url = useObjectUrl(image)
  const name = showHiddenCharacters(path.slice(path.lastIndexOf('/') + 1))
  return (
    <figure className={css.figure}>
      {url && (
        <img
          className={css.image}
          src={url}
          alt={words ? `${name}, ${words.toLowerCase()}` : name}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setShape(`${naturalWidth} × ${naturalHeight}`)
          }
          onError={() => setShape('cannot be shown')}
        />
      )}
      <figcaption className={css.words}>
        {[words, shape, sizeInWords(image.bytes.length)].filter(Boolean).join(' · ')}
      </figcaption>
    </figure>
  )
}

/** An object URL for bytes, freed when the component is unmounted. */
function useObjectUrl({ bytes, mimeType }: Image): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes as BlobPart], { type: mimeType }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, mimeType])
  return url
}
