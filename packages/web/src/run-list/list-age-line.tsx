import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { listAge } from './list-age.ts'
import css from './list-age-line.module.css'
import type { RunList } from './run-list-source.ts'

type Props = { list: RunList; onRefresh: () => void }

/** How long a request may take before the page mentions it. A lost hub is shown at once. */
const ordinaryMs = 1000

/** Says how old the list is while it is not live. */
export function ListAgeLine({ list, onRefresh }: Props) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  const isAsking = !list.isLive && list.trouble === null
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isAsking) return setLong(false)
    const timer = setTimeout(() => setLong(true), ordinaryMs)
    return () => clearTimeout(timer)
  }, [isAsking])
  const isFirst = list.asOf === null && list.isLoading
  const words = isFirst || (isAsking && !isLong) ? null : listAge(list, Math.max(now, list.asOf ?? 0))
  return (
    <div role="status" className={css.place}>
      {words && (
        <p className={css.line}>
          <span>{words}</span>
          <Button as="quiet" isSmall icon="refresh" disabled={list.isLoading} onClick={onRefresh}>
            Try again
          </Button>
        </p>
      )}
    </div>
  )
}
