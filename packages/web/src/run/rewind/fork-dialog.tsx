import type { Hub } from '@farhand/client/requests/hub'
import { createRun } from '@farhand/client/resources/resources'
import { renameRun } from '@farhand/client/resources/run-preferences'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { useState } from 'react'
import type { FilesSource } from '../../files/history/files-source.ts'
import { go } from '../../navigation/location.ts'
import { cliCommand } from '../../text/cli-command.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import css from './fork-or-rewind-dialog.module.css'
import { PointField } from './point-field.tsx'
import type { RewindPoints } from './rewind-points.ts'

type Props = {
  source: FilesSource
  rewindPoints: RewindPoints
  title: string
  /** The event to fork after; null: now. */
  event: number | null
  /** Whether the agent of the run works on a computer of the user. */
  isOnUserDevice: boolean
  onClose: () => void
}

/** Asks for a point and a title, forks the run, and opens the fork. */
export function ForkDialog({
  source: { hub, at },
  rewindPoints,
  title,
  event,
  isOnUserDevice,
  onClose,
}: Props) {
  const [newest] = useState(rewindPoints.cursor)
  const [from, setFrom] = useState(event ?? newest)
  const [name, setName] = useState(`${title.slice(0, 480)} (fork)`)
  const [key] = useState(randomName)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const fork = async () => {
    setBusy(true)
    setTrouble(null)
    try {
      // Another point is another fork, so it needs another key.
      const run = await forkRun(hub, at, { event: from, title: name.trim() || title, key: `${key}-${from}` })
      onClose()
      go({ is: 'run', run, part: 'talk', event: null })
    } catch (error) {
      setTrouble((error as Error).message)
      setBusy(false)
    }
  }
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button as="main" type="submit" isGuarded form="fork" disabled={isBusy || from === 0}>
        {isBusy ? 'Forking' : 'Fork'}
      </Button>
    </>
  )
  return (
    <Dialog title="Fork this run" onClose={onClose} buttons={buttons}>
      <form
        id="fork"
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          void fork()
        }}
      >
        <p>
          A new run begins with the files and the conversation as they were then, and goes its own way. This
          one stays as it is.
        </p>
        <PointField label="From" rewindPoints={rewindPoints} chosen={from} hasNow onChoose={setFrom} />
        <Field label="Title of the new run">
          {(given) => (
            <input
              {...given}
              value={name}
              maxLength={500}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {isOnUserDevice && (
          <p className={css.note}>
            The agent of this run works on a computer of yours, and so will that of the fork: there,{' '}
            <code>{cliCommand} run --run</code> with its id, and <code>--folder</code> with an empty one, lets
            it go on.
          </p>
        )}
        {trouble && (
          <p className={css.trouble} role="alert">
            It could not be forked: {trouble}
          </p>
        )}
      </form>
    </Dialog>
  )
}

type Fork = { event: number; title: string; key: string }

/** Forks a run after an event; the same key gives the same fork. */
async function forkRun(hub: Hub, at: RunAddress, { event, title, key }: Fork): Promise<RunId> {
  // No time limit: the hub takes a while to copy a long log.
  const made = await createRun(hub, at.project, at.task, { fork: { run: at.run, event } }, { key })
  // The fork exists even if renaming it fails.
  await renameRun(hub, made.id, title, { patienceMs: 5000 }).catch(() => {})
  return made.id
}
