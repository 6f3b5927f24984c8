import { describe, expect, test } from 'vitest'
import {
  createResponsesDecoder,
  responsesToolNames,
} from '../../../../guest-sdk/dialects/openai-responses/index.ts'
import { events, replay } from '../replay.ts'
import { added, args, call, completed, done, incomplete, message, read } from './answer.ts'

const other = { id: 'fc_2', call_id: 'call_2' }
const finished = (fields: object = {}) => call({ status: 'completed', ...fields })

describe('createResponsesDecoder: calls', () => {
  test('the id is the call_id, never the id of the item (H5)', () => {
    const { result, events } = read(
      added(0, call()),
      args(0, 'fc_1', '{"a"'),
      args(0, 'fc_1', ':1}'),
      {
        type: 'response.function_call_arguments.done',
        output_index: 0,
        item_id: 'fc_1',
        arguments: '{"a":1}',
      },
      done(0, finished({ arguments: '{"a":1}' })),
      completed,
    )
    expect(result.toolUses).toEqual([{ id: 'call_1', name: 'look', input: '{"a":1}' }])
    expect(result.stopReason).toBe('tool-use')
    expect(events.filter(({ type }) => type === 'tool-input-delta')).toEqual([
      { type: 'tool-input-delta', id: 'call_1', name: 'look', delta: '{"a"' },
      { type: 'tool-input-delta', id: 'call_1', name: 'look', delta: ':1}' },
    ])
  })
  test('interleaved arguments: each call complete, one start each (B11, B21)', () => {
    const { result } = read(
      added(0, call()),
      added(1, call(other)),
      args(0, 'fc_1', '{"a"'),
      args(1, 'fc_2', '{"b"'),
      args(0, 'fc_1', ':1}'),
      args(1, 'fc_2', ':2}'),
      done(1, finished({ ...other, arguments: '{"b":2}' })),
      done(0, finished({ arguments: '{"a":1}' })),
      completed,
    )
    expect(result.toolUses.map(({ id, input }) => [id, input])).toEqual([
      ['call_2', '{"b":2}'],
      ['call_1', '{"a":1}'],
    ])
  })
  test.each([
    ['', '{}'],
    [null, '{}'],
    [undefined, '{}'],
    ['null', '{}'],
    [{ n: 1 }, '{"n":1}'],
  ])('arguments %j: %s (B14, B15)', (given, input) => {
    const { result } = read(added(0, call()), done(0, finished({ arguments: given })), completed)
    expect(result.toolUses).toMatchObject([{ input }])
  })
  test('an object keeps its large numbers (J5)', () => {
    const data = `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":{"n":12345678901234567890}}}`
    const decoder = createResponsesDecoder({ service: 's', model: 'm' })
    const { result } = replay(decoder, [{ data }, ...events(completed)])
    expect(result.toolUses[0]?.input).toBe('{"n":12345678901234567890}')
  })
  test('an id that is blank or taken is replaced (B5)', () => {
    const { result } = read(
      done(0, finished({ call_id: '', arguments: '{}' })),
      done(1, finished({ arguments: '{}' })),
      done(2, finished({ arguments: '{}' })),
      completed,
    )
    expect(result.toolUses.map(({ id }) => id)).toEqual(['new_1', 'call_1', 'new_2'])
  })
  test('arguments that are no JSON are told as such (B16)', () => {
    const { result } = read(done(0, finished({ arguments: '{"a":' })), completed)
    expect(result.brokenToolUses).toMatchObject([{ id: 'call_1', name: 'look', rawInput: '{"a":' }])
    expect(result.toolUses).toEqual([])
  })
  test.each(['max_output_tokens', 'content_filter', 'unheard_of'])(
    'cut off with %s inside the arguments: never run (B17)',
    reason => {
      const { result } = read(
        done(0, finished({ arguments: '{"a":1}' })),
        added(1, call(other)),
        args(1, 'fc_2', '{"b":1'),
        done(1, call({ ...other, arguments: '{"b":1', status: 'incomplete' })),
        incomplete(reason),
      )
      expect(result.toolUses.map(({ id }) => id)).toEqual(['call_1'])
      expect(result.brokenToolUses).toMatchObject([
        { id: 'call_2', error: expect.stringContaining('incomplete') },
      ])
    },
  )
  test('names come back as the request has them', () => {
    const tools = [{ name: 'files.read', description: '', inputSchema: {} }]
    const decoder = createResponsesDecoder({
      service: 's',
      model: 'm',
      toolNames: responsesToolNames({ tools }),
    })
    const { result } = replay(
      decoder,
      events(done(0, finished({ name: 'functions.files_read', arguments: '{}' })), completed),
    )
    expect(result.toolUses).toMatchObject([{ name: 'files.read' }])
  })
  test('calls keep their place between text and reasoning', () => {
    const { result } = read(
      done(0, message('First')),
      done(1, finished({ arguments: '{}' })),
      done(2, message('Then', { id: 'msg_2' })),
      completed,
    )
    expect(result.parts.map(({ type }) => type)).toEqual(['text', 'tool-use', 'text'])
  })
})

describe('createResponsesDecoder: multi_tool_use.parallel (H4)', () => {
  const uses = {
    tool_uses: [
      { recipient_name: 'functions.look', parameters: { id: 1 } },
      { recipient_name: 'functions.see', parameters: {} },
    ],
  }
  test.each([
    ['by name', { name: 'multi_tool_use.parallel' }],
    ['by namespace', { namespace: 'multi_tool_use', name: 'parallel' }],
  ])('becomes the calls that it stands for, %s', (_, naming) => {
    const text = JSON.stringify(uses).replace('"id":1', '"id":12345678901234567890')
    const { result, events } = read(
      added(0, call(naming)),
      args(0, 'fc_1', text.slice(0, 30)),
      args(0, 'fc_1', text.slice(30)),
      done(0, finished({ ...naming, arguments: text })),
      completed,
    )
    expect(result.toolUses).toEqual([
      { id: 'call_1_1', name: 'look', input: '{"id":12345678901234567890}' },
      { id: 'call_1_2', name: 'see', input: '{}' },
    ])
    expect(events.some(event => 'name' in event && String(event.name).includes('parallel'))).toBe(false)
  })
  test('cut off, or nothing of the kind: told as broken', () => {
    const naming = { name: 'multi_tool_use.parallel' }
    const { result } = read(
      added(0, call(naming)),
      args(0, 'fc_1', '{"tool_uses":['),
      incomplete('max_output_tokens'),
    )
    expect(result.brokenToolUses).toMatchObject([{ id: 'call_1', rawInput: '{"tool_uses":[' }])
  })
})
