import type { Attachment } from '@farhand/protocol/methods/conversation'
import { randomName } from '@farhand/protocol/wire/ids'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { RunActions } from '../outbox/actions.ts'
import { toast } from '../ui/toasts.ts'
import { admitFiles } from './admit-files.ts'

/** A file attached to the next message, uploading or uploaded. */
export type AttachmentUpload = {
  key: string
  name: string
  size: number
  /** How much of the file is uploaded, from 0 to 1. */
  done: number
  /** The attachment for the message; null until the upload is done. */
  attachment: Attachment | null
  why: string | null
  /** The chosen file; null if an earlier page load has uploaded it. */
  file: File | null
}

/** The attachments of the message being written. Removing one stops its upload. */
export function useAttachmentUploads(attach: RunActions['attach'], before: readonly Attachment[]) {
  const [all, setAll] = useState(() => before.map(fromBefore))
  const stops = useRef(new Map<string, () => void>())

  const change = useCallback((key: string, now: Partial<AttachmentUpload>) => {
    setAll((list) => list.map((one) => (one.key === key ? { ...one, ...now } : one)))
  }, [])
  const remove = useCallback((key: string) => {
    stops.current.get(key)?.()
    setAll((list) => list.filter((one) => one.key !== key))
  }, [])
  const send = useCallback(
    ({ key, file }: Pick<AttachmentUpload, 'key' | 'file'>) => {
      if (!file) return
      const stopping = new AbortController()
      stops.current.set(key, () => stopping.abort())
      change(key, { why: null, done: 0 })
      const { signal } = stopping
      attach(file, { signal, onProgress: (done) => change(key, { done }) }).then(
        (attachment) => change(key, { attachment, done: 1 }),
        (error) =>
          signal.aborted || change(key, { why: error instanceof Error ? error.message : String(error) }),
      )
    },
    [attach, change],
  )
  const add = useCallback(
    (given: readonly File[]) => {
      const { taken, troubles } = admitFiles(given, all.length)
      for (const trouble of troubles) toast(trouble, { tone: 'bad' })
      const fresh = taken.map((file) => ({
        ...waiting,
        key: randomName(8),
        name: nameOf(file),
        size: file.size,
        file,
      }))
      setAll((list) => [...list, ...fresh])
      for (const one of fresh) send(one)
    },
    [all.length, send],
  )
  const clear = useCallback(() => setAll([]), [])
  /** Adds files that the hub already has. */
  const put = useCallback((more: readonly Attachment[]) => {
    setAll((list) => [...list, ...more.map(fromBefore)])
  }, [])

  useEffect(() => {
    const stop = stops.current
    return () => {
      for (const end of stop.values()) end()
    }
  }, [])
  return { all, add, remove, again: send, clear, put }
}

const waiting = { done: 0, attachment: null, why: null }

const fromBefore = (attachment: Attachment): AttachmentUpload => ({
  key: randomName(8),
  name: attachment.name,
  size: attachment.size ?? 0,
  done: 1,
  attachment,
  why: null,
  file: null,
})

// A pasted file has no name, or always the same one.
const nameOf = (file: File) =>
  file.name === '' ? `pasted.${file.type.split('/')[1] ?? 'bin'}` : file.name.slice(-255)
