import { useEffect, useState } from 'react'
import { IconButton } from './icon-button.tsx'

type Props = { text: string | (() => string | Promise<string>); label?: string; icon?: 'copy' | 'link' }

/** Copies a text, and says so on the button. */
export function CopyButton({ text, label = 'Copy', icon: own = 'copy' }: Props) {
  const [said, setSaid] = useState<'copied' | 'refused' | null>(null)
  useEffect(() => {
    if (said === null) return
    const later = setTimeout(() => setSaid(null), 1500)
    return () => clearTimeout(later)
  }, [said])
  const copy = async () => {
    try {
      await write(typeof text === 'string' ? text : text())
      setSaid('copied')
    } catch {
      // Browsers offer the clipboard only on https pages and on localhost.
      setSaid('refused')
    }
  }
  const words =
    said === 'copied' ? 'Copied' : said === 'refused' ? 'The browser does not allow copying here' : label
  const icon = said === 'copied' ? 'check' : said === 'refused' ? 'warning' : own
  return <IconButton icon={icon} label={words} isSmall onClick={copy} aria-live="polite" />
}

/** Writes a promised text at once: after the fetch, a browser may no longer count the click as the reason. */
async function write(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return await navigator.clipboard.writeText(text)
  const type = 'text/plain'
  const bytes = text.then((fetched) => new Blob([fetched], { type }))
  await navigator.clipboard.write([new ClipboardItem({ [type]: bytes })])
}
