import { Component, type ReactNode, Suspense } from 'react'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { toast } from '../ui/toasts.ts'
import css from './lazy-part.module.css'
import { PlainPage } from './plain-page.tsx'

type Props = {
  children: ReactNode
  /** Where to show an error: as a page of its own, inside a page, or as a toast. */
  as?: 'page' | 'inside' | 'aside'
  onFail?: () => void
}

/**
 * A part of the app that may have to be loaded first. If loading or rendering fails, the rest of the app stays: a page that
 * was opened before a hub update asks for files that no longer exist, and an offline page for files that it never had.
 */
export function LazyPart({ children, as = 'page', onFail }: Props) {
  return (
    <Caught as={as} onFail={onFail}>
      <Suspense fallback={as === 'aside' ? null : <Spinner />}>{children}</Suspense>
    </Caught>
  )
}

type CaughtProps = { children: ReactNode; as: NonNullable<Props['as']>; onFail: Props['onFail'] }

class Caught extends Component<CaughtProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidCatch(error: Error): void {
    if (this.props.as === 'aside') toast(whyInWords(error), { tone: 'bad' })
    this.props.onFail?.()
  }

  override render(): ReactNode {
    const { error } = this.state
    const { as, children } = this.props
    if (error === null) return children
    if (as === 'aside') return null
    const said = (
      <div className={css.said} role="alert">
        <p>{whyInWords(error)}</p>
        <Button icon="refresh" onClick={loadAnew}>
          Reload
        </Button>
      </div>
    )
    return as === 'page' ? <PlainPage title="Couldn’t load">{said}</PlainPage> : said
  }
}

const loadAnew = () => location.reload()

/** Browsers use different messages for a failed import. */
function whyInWords({ message }: Error): string {
  return /dynamically imported|module script|preload|failed to fetch/i.test(message)
    ? 'This part of the app could not be loaded. The hub cannot be reached, or it was updated after this page was opened.'
    : `This part of the page has failed: ${message}`
}
