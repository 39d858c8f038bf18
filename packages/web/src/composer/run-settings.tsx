import type { AgentSide, Choice as Offer } from '@farhand/story/items/story'
import { modeOptions, policyFor, policyName, policyOptions } from '../new-run/permission-policies.ts'
import type { RunActions } from '../outbox/actions.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import type { CurrentSettings as Settings } from './current-settings.ts'
import css from './run-settings.module.css'

type Props = { agent: AgentSide; now: Settings; act: RunActions['act']; onClose: () => void }

const custom = { label: 'Custom', note: 'A policy that was set elsewhere.' }
const neverAsk = { label: 'Never ask', note: 'It takes the default, or the choice that changes least.' }

/** The settings of a run and of its agent. Each choice is sent at once. */
export function RunSettings({ agent, now, act, onClose }: Props) {
  const policy = policyName(now.mode, now.policy)
  const label = now.policy === null || now.policy === undefined ? neverAsk : custom
  const own = policy === null ? [{ value: 'own', ...label }] : []
  return (
    <Dialog
      title="Run settings"
      onClose={onClose}
      buttons={
        <Button as="main" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className={css.settings}>
        {agent.modes.length > 0 && (
          <Pick
            label="Agent mode"
            value={now.agentMode ?? ''}
            offers={agent.modes}
            onPick={(modeId) => act({ do: 'agent-mode', modeId })}
          />
        )}
        {agent.options.map((option) => (
          <Pick
            key={option.id}
            label={option.name}
            value={now.options.get(option.id) ?? option.value}
            offers={option.choices}
            onPick={(value) => act({ do: 'option', configId: option.id, value })}
          />
        ))}
        <Choice
          label="Run mode"
          value={now.mode}
          options={modeOptions}
          onChoose={(mode) =>
            act({ do: 'run-mode', mode, ...(policy !== null && { policy: policyFor(mode, policy) }) })
          }
        />
        <Choice
          label="Permissions"
          value={policy ?? 'own'}
          options={[...own, ...policyOptions]}
          onChoose={(chosen) => {
            const named = policyOptions.find(({ value }) => value === chosen)?.value
            if (named) act({ do: 'run-mode', mode: now.mode, policy: policyFor(now.mode, named) })
          }}
        />
      </div>
    </Dialog>
  )
}

type PickProps = { label: string; value: string; offers: readonly Offer[]; onPick: (id: string) => void }

function Pick({ label, value, offers, onPick }: PickProps) {
  const isKnown = offers.some(({ id }) => id === value)
  return (
    <Field label={label} hint={offers.find(({ id }) => id === value)?.description}>
      {(given) => (
        <select {...given} value={value} onChange={({ target }) => onPick(target.value)}>
          {!isKnown && <option value={value}>{value || 'Choose…'}</option>}
          {offers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
