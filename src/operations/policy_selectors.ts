import Type from 'typebox'
import { compileCondition, compileConsensus } from '../policy/policy_expressions.ts'
import { Failure } from '../protocol/failures.ts'
import { expressionCharactersMax, fields, labelCharactersMax, list, oneOf, optional } from './fields.ts'

/**
 * How policies were written before there were expressions: all selectors hold at once. Their words have the names of
 * the policy language, so a policy of selectors is kept as the expressions that say the same.
 */
export const selectorsMax = 20
const targetsMax = 100

const operators = [
  'OPERATOR_EQUAL',
  'OPERATOR_MORE_THAN',
  'OPERATOR_MORE_THAN_OR_EQUAL',
  'OPERATOR_LESS_THAN',
  'OPERATOR_LESS_THAN_OR_EQUAL',
  'OPERATOR_CONTAINS',
  'OPERATOR_NOT_EQUAL',
  'OPERATOR_IN',
  'OPERATOR_NOT_IN',
  'OPERATOR_CONTAINS_ONE',
  'OPERATOR_CONTAINS_ALL',
] as const
type Operator = (typeof operators)[number]
