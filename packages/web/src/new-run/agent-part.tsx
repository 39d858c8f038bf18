import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import { cliCommand } from '../text/cli-command.ts'
import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import type { FieldTroubles, NewRunForm } from './new-run-form.ts'
import { modeOptions, policyOptions } from './permission-policies.ts'
import { agentHint, byReadiness, missingAgentsInWords } from './which-agent.ts'

export type PartProps = {
  form: NewRunForm
  here: AvailableAgents
  troubles: FieldTroubles
  onChange: (change: Partial<NewRunForm>) => void
}

/** Chooses the agent, the mode, and what the agent may do without asking. */
export function AgentPart({ form, here, troubles, onChange }: PartProps) {
  const chosen = here.agents.find(({ id }) => id === form.agent)
  const { ready, others } = byReadiness(here)
  const hint = chosen && agentHint(chosen)
  const besides = missingAgentsInWords(here)
  const option = ({ id, name }: { id: string; name: string }) => (
    <option key={id} value={id}>
      {name}
    </option>
  )
  return (
    <>
      <Field
        label="Agent"
        trouble={troubles.agent}
        hint={
          (hint || besides) && (
            <>
              {hint && <p>{hint}</p>}
              {besides && (
                <p>
                  {besides} There, <code>{cliCommand} agents</code> says what is missing.
                </p>
              )}
            </>
          )
        }
      >
        {(given) => (
          <select {...given} value={form.agent} onChange={(event) => onChange({ agent: event.target.value })}>
            {form.agent === '' && <option value="">Choose an agent</option>}
            {ready.map(option)}
            {others.length > 0 && <optgroup label="Not set up here">{others.map(option)}</optgroup>}
          </select>
        )}
      </Field>
      <Choice
        label="Run mode"
        value={form.mode}
        trouble={troubles.mode}
        onChoose={(mode) => onChange({ mode })}
        options={modeOptions}
      />
      <Choice
        label="Permissions"
        value={form.policy}
        trouble={troubles.policy}
        onChoose={(policy) => onChange({ policy })}
        options={policyOptions}
      />
    </>
  )
}
