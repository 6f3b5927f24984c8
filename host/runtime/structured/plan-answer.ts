import type { ModelInfo } from '../../contract/models.ts'
import type { parseRequest } from '../../contract/request.ts'
import type { AnswerFormat } from './answer-format.ts'
import { answerTool, createAnswerToolMapper } from './answer-tool.ts'
import { createTextMapper, type EventMapper, inTurn } from './event-mapper.ts'
import { instruct } from './instruct.ts'
import { createUnfenceFilter } from './unfence-text.ts'
import { createUnwrapFilter } from './unwrap-text.ts'

type ParsedRequest = ReturnType<typeof parseRequest>

/** How a model is brought to answer by a schema. */
export interface AnswerPlan {
  /** `native`: its service holds it to the schema. `tool`: the answer is the input of a tool that it must call. */
  way: 'native' | 'tool' | 'instruction'
  /** What to send. */
  request: ParsedRequest
  /** Makes the answer text events, whichever way it comes. Absent where it is that already. */
  createMapper?: () => EventMapper
}

/**
 * Chooses the way by what the model can do. One that nobody knows is asked natively: its extension knows its service,
 * and puts the schema in words where it must.
 */
export function planAnswer(
  request: ParsedRequest,
  format: AnswerFormat,
  info: Pick<ModelInfo, 'capabilities'> | undefined,
): AnswerPlan {
  if (!info || info.capabilities.supportsStructuredOutput) return planNative(request, format)
  const toolChoice = answerChoice(request, info.capabilities)
  return toolChoice ? planTool(request, format, toolChoice) : planInstruction(request, format)
}

function planNative(request: ParsedRequest, format: AnswerFormat): AnswerPlan {
  const { name, strict, objectSchema, isWrapped } = format
  return {
    way: 'native',
    request: { ...request, responseFormat: { name, schema: objectSchema, strict } },
    ...(isWrapped && { createMapper: () => createTextMapper(createUnwrapFilter()) }),
  }
}

function planTool(request: ParsedRequest, format: AnswerFormat, choice: 'named' | 'any'): AnswerPlan {
  const { responseFormat: _, ...asked } = request
  const tool = answerTool(format, request)
  return {
    way: 'tool',
    request: {
      ...asked,
      tools: [...(request.tools ?? []), tool],
      toolChoice: choice === 'named' ? { tool: tool.name } : 'any',
    },
    createMapper() {
      const mapper = createAnswerToolMapper(tool.name)
      return format.isWrapped ? inTurn(mapper, createTextMapper(createUnwrapFilter())) : mapper
    },
  }
}

function planInstruction(request: ParsedRequest, format: AnswerFormat): AnswerPlan {
  const { responseFormat: _, ...asked } = request
  return {
    way: 'instruction',
    request: instruct(asked, format),
    createMapper: () => createTextMapper(createUnfenceFilter()),
  }
}

/**
 * How the answer's tool can be forced; undefined where it cannot be. Where the model may use the caller's tools, it
 * must use one of all: whichever turn it does not need them is the one that answers. Where the caller forces a tool
 * itself, that call is what is wanted, and nothing stands in its way.
 */
function answerChoice(
  { tools = [], toolChoice = 'auto' }: ParsedRequest,
  { supportsTools, supportsToolChoiceTool, supportsToolChoiceAny, maxTools }: ModelInfo['capabilities'],
): 'named' | 'any' | undefined {
  if (!supportsTools || (maxTools !== undefined && tools.length >= maxTools)) return undefined
  if (tools.length === 0 || toolChoice === 'none') return supportsToolChoiceTool ? 'named' : undefined
  return toolChoice === 'auto' && supportsToolChoiceAny ? 'any' : undefined
}
