import { useEffect, useState } from 'react'
import { type Connection, connectionInWords } from '../connection/connection.ts'
import type { ConnectionWords } from './run-header.tsx'

const tones: Readonly<Partial<Record<Connection['is'], ConnectionWords['tone']>>> = {
  live: 'good',
  ended: 'good',
  connecting: 'plain',
  'catching-up': 'plain',
}

/** The connection in words, updated each second while it counts down to a retry. */
export function useConnectionWords(connection: Connection): ConnectionWords {
  const [now, setNow] = useState(() => Date.now())
  const counts = connection.is === 'retrying'
  useEffect(() => {
    if (!counts) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [counts])
  return { words: connectionInWords(connection, now), tone: tones[connection.is] ?? 'warn' }
}
