import type { AgentSide, Choice } from '@farhand/story/items/story'
import { lazy, memo, useMemo, useState } from 'react'
import type { RunActions } from '../outbox/actions.ts'
import { LazyPart } from '../page/lazy-part.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import css from './composer.module.css'
import type { CurrentSettings as Settings } from './current-settings.ts'

const RunSettings = lazy(() => import('./run-settings.tsx').then((it) => ({ default: it.RunSettings })))

type Props = { agent: AgentSide; now: Settings; act: RunActions['act'] }

/** The settings that are changed often, and a button for all others. On a phone there is only the button. */
export const QuickSettings = memo(function QuickSettings({ agent, now, act }: Props) {
  const [isOpen, setOpen] = useState(false)
  const model = agent.options.find(({ id, name }) => /model/i.test(id) || /model/i.test(name))
  const modes = useMemo(
    () => entries(agent.modes, now.agentMode, (modeId) => act({ do: 'agent-mode', modeId })),
    [agent.modes, now.agentMode, act],
  )
  const chosenModel = model && (now.options.get(model.id) ?? model.value)
  const models =
    model &&
    entries(model.choices, chosenModel ?? null, (value) => act({ do: 'option', configId: model.id, value }))
  const modeName = nameOf(agent.modes, now.agentMode)
  const modelName = model && nameOf(model.choices, chosenModel ?? null)
  return (
    <>
      <span className={css.quick}>
        {modes.length > 0 && (
          <Menu label={`Agent mode: ${modeName}`} opens="up-right" entries={modes} face={modeName} />
        )}
        {model && models && models.length > 0 && (
          <Menu label={`${model.name}: ${modelName}`} opens="up-right" entries={models} face={modelName} />
        )}
      </span>
      <IconButton icon="settings" label="Run settings" onClick={() => setOpen(true)} />
      {isOpen && (
        <LazyPart as="aside" onFail={() => setOpen(false)}>
          <RunSettings {...{ agent, now, act }} onClose={() => setOpen(false)} />
        </LazyPart>
      )}
    </>
  )
})

const nameOf = (all: readonly Choice[], id: string | null) =>
  all.find((one) => one.id === id)?.name ?? id ?? 'Choose'

const entries = (all: readonly Choice[], chosen: string | null, choose: (id: string) => void): MenuEntry[] =>
  all.map(({ id, name, description }) => ({
    label: name,
    ...(description && { note: description }),
    isChosen: id === chosen,
    onChoose: () => choose(id),
  }))
