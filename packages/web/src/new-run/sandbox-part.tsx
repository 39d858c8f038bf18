import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import type { PartProps } from './agent-part.tsx'
import type { NewRunForm } from './new-run-form.ts'
import css from './new-run-page.module.css'

/** The sandbox settings, folded. They open by themselves if a field in them is wrong. */
export function SandboxPart({ form, here, troubles, onChange }: PartProps) {
  const isWrong = ['sandbox', 'hosts', 'setup', 'idleMinutes'].some((name) => name in troubles)
  return (
    <details className={css.more} open={isWrong || undefined}>
      <summary>
        Sandbox and network <span className={css.soft}>{inWords(form)}</span>
      </summary>
      <div className={css.inside}>
        <Field label="Kind of sandbox" trouble={troubles.sandbox} hint={kindHint(form.sandbox, here)}>
          {(given) => (
            <select
              {...given}
              value={form.sandbox}
              onChange={(event) => onChange({ sandbox: event.target.value })}
            >
              <option value="auto">The best available here</option>
              {here.sandboxes.map(({ kind, unusable }) => (
                <option key={kind} value={kind} disabled={unusable !== null}>
                  {kind}
                  {unusable === null ? '' : ' (not available)'}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Choice
          label="Network"
          value={form.network}
          onChoose={(network) => onChange({ network })}
          options={[
            { value: 'full', label: 'Everything' },
            { value: 'hosts', label: 'Some hosts' },
            { value: 'none', label: 'Only the hub' },
          ]}
        />
        {form.network === 'hosts' && (
          <Field
            label="Hosts"
            trouble={troubles.hosts}
            hint="Separated by commas or spaces; *.example.org is all its subdomains. The model can always be reached."
          >
            {(given) => (
              <input
                {...given}
                value={form.hosts}
                placeholder="registry.npmjs.org, *.example.org"
                autoCapitalize="off"
                spellCheck={false}
                onChange={(event) => onChange({ hosts: event.target.value })}
              />
            )}
          </Field>
        )}
        <Field
          label="Setup"
          trouble={troubles.setup}
          hint="Runs in the workspace before the agent begins, once in each sandbox."
        >
          {(given) => (
            <input
              {...given}
              value={form.setup}
              placeholder="npm ci"
              autoCapitalize="off"
              spellCheck={false}
              onChange={(event) => onChange({ setup: event.target.value })}
            />
          )}
        </Field>
        <Field label="Idle timeout (minutes)" trouble={troubles.idleMinutes}>
          {(given) => (
            <input
              {...given}
              inputMode="decimal"
              value={form.idleMinutes}
              placeholder="hub default"
              onChange={(event) => onChange({ idleMinutes: event.target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  )
}

function inWords({ sandbox, network, setup }: NewRunForm): string {
  const networks = { full: 'all of the network', hosts: 'some hosts', none: 'no network except the hub' }
  const kind = sandbox === 'auto' ? [] : [sandbox]
  return [...kind, networks[network], ...(setup.trim() === '' ? [] : ['with a setup'])].join(', ')
}

function kindHint(kind: string, { sandboxes }: AvailableAgents): string | undefined {
  const meant = kind === 'auto' ? sandboxes.find(({ unusable }) => unusable === null) : undefined
  const chosen = meant ?? sandboxes.find((one) => one.kind === kind)
  if (!chosen) return undefined
  if (chosen.unusable !== null) return `Not available: ${chosen.unusable}`
  return chosen.isolates
    ? `${chosen.kind}: the agent sees its workspace and nothing else of the machine.`
    : `${chosen.kind}: no isolation. The agent has the permissions of the hub's user.`
}
