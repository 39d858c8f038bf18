import { plainLine } from '@farhand/protocol/text/plain-text'
import { memo, useEffect, useMemo, useState } from 'react'
import { LongText } from '../../output/long-text.tsx'
import type { OpenSections } from '../../output/open-sections.ts'
import { OutputText } from '../../output/output-text.tsx'
import { joinedText, noCuts } from '../../story/cut-text.ts'
import type { CutText, ShellItem } from '../../story/story.ts'
import { hubClock } from '../../time/hub-clock.ts'
import { TimeSince } from '../../time/time-since.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import css from './shell-view.module.css'

type Props = {
  item: ShellItem
  openSections: OpenSections
  onStop: (call: string) => void
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

const nothing: CutText = { text: '', cuts: noCuts }

/** A command that a person had run in the workspace, and what it said. */
export const ShellView = memo(function ShellView({ item, openSections, onStop, fetchBlob }: Props) {
  const { id, output } = item
  const printed = useMemo(() => ({ id, ...output.reduce<CutText>(joinedText, nothing) }), [id, output])
  const isLong = useLong(item)
  return (
    <section className={css.shell} aria-label={`Command ${item.command}`}>
      <header className={css.head}>
        <Icon name="terminal" size={16} />
        <code dir="auto">! {plainLine(item.command)}</code>
        <span className={css.state}>
          {item.isOver ? (
            item.exitCode !== 0 && (
              <Badge tone="bad">{item.exitCode === null ? 'ended' : `exit ${item.exitCode}`}</Badge>
            )
          ) : (
            <>
              <TimeSince at={item.at} isElapsed />
              <Spinner size={12} />
              <Button
                isSmall
                // A press counts though the card moves under it.
                onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
                onClick={() => onStop(item.call)}
              >
                Stop
              </Button>
            </>
          )}
        </span>
      </header>
      <LongText item={printed} {...{ openSections, fetchBlob }}>
        {(text) => <OutputText text={text} label="output" isGrowing={isLong} />}
      </LongText>
      {item.isOver && printed.text === '' && <p className={css.none}>It said nothing.</p>}
    </section>
  )
})

/** Most commands are over before this, and would only make the page jump. */
const longMs = 300

/** Whether a command is under way for so long that somebody may want to stop it: then its button stays where it is. */
function useLong({ at, isOver }: ShellItem): boolean {
  const [isLong, setLong] = useState(() => hubClock.now() - Date.parse(at) > longMs)
  useEffect(() => {
    if (isOver) return
    const waiting = setTimeout(() => setLong(true), longMs)
    return () => clearTimeout(waiting)
  }, [isOver])
  return isLong && !isOver
}
