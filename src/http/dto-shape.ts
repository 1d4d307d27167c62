import type { Type } from '@nestjs/common';
import type { TypeMetadata } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes, type ValidationArguments } from 'class-validator';

type Condition = (object: object, value: unknown) => boolean;
type Check = (value: unknown, object: object) => boolean;

/** What the decorators of one member say. */
interface Member {
  /** The class that `@Type` names: of the member, or of the items of an array. */
  readonly nested: Type<object> | undefined;
  readonly isArray: boolean;
  /** Unless all of them hold, nothing else is asked. */
  readonly conditions: readonly Condition[];
  readonly checks: readonly Check[];
  /** The nested class judges as well. */
  readonly isJudgedInside: boolean;
}

/** The members of a class: those that carry a validation decorator. */
export type Shape = ReadonlyMap<string, Member>;

type ValidationMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

const shapes = new WeakMap<Type<object>, Shape>();

/** Read off the decorators once per class. */
export function shapeOf(dto: Type<object>): Shape {
  let shape = shapes.get(dto);
  if (shape === undefined) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const names = new Set(metadata.map(({ propertyName }) => propertyName));
    shape = new Map(
      Array.from(names, (name) => [
        name,
        memberOf(
          dto,
          name,
          metadata.filter(({ propertyName }) => propertyName === name),
        ),
      ]),
    );
    shapes.set(dto, shape);
  }
  return shape;
}

function memberOf(dto: Type<object>, name: string, said: readonly ValidationMetadata[]): Member {
  // Declared as always found, which it is only for members with `@Type`.
  const typed = defaultMetadataStorage.findTypeMetadata(dto, name) as TypeMetadata | undefined;
  const { CONDITIONAL_VALIDATION, NESTED_VALIDATION } = ValidationTypes;
  const ofType = (type: string) => said.filter((each) => each.type === type);
  return {
    nested: typed?.typeFunction() as Type<object> | undefined,
    isArray: typed?.reflectedType === Array,
    conditions: ofType(CONDITIONAL_VALIDATION).map(
      ({ constraints }) => constraints[0] as Condition,
    ),
    isJudgedInside: ofType(NESTED_VALIDATION).length > 0,
    checks: said
      .filter(({ type }) => type !== CONDITIONAL_VALIDATION && type !== NESTED_VALIDATION)
      .flatMap((each) => checksOf(dto, each)),
  };
}

const NEVER_SURE: readonly Check[] = [() => false];

/** class-validator's own, called as it calls them; what it has besides is not used here. */
function checksOf(dto: Type<object>, metadata: ValidationMetadata): readonly Check[] {
  const { type, propertyName: property, constraintCls, validateIf, each } = metadata;
  const isCheck = type === ValidationTypes.CUSTOM_VALIDATION || type === ValidationTypes.IS_DEFINED;
  if (!isCheck || (validateIf as unknown) !== undefined) return NEVER_SURE;
  const constraints = metadata.constraints as unknown[];
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }): Check => (value, object) => {
      const context: ValidationArguments = {
        targetName: dto.name,
        property,
        object,
        value,
        constraints,
      };
      const passes = (one: unknown) => instance.validate(one, context) === true;
      return each && Array.isArray(value) ? value.every(passes) : passes(value);
    });
}

/**
 * True where class-validator has certainly no fault to find in an instance: its checks, without the
 * search for them, and without an error object per member, that it makes of every object anew. False
 * wherever it may find one, for it to be asked itself: it has the words.
 */
export function isSurelyValid(shape: Shape, instance: Readonly<Record<string, unknown>>): boolean {
  for (const [name, member] of shape) {
    const value = instance[name];
    if (isAsked(member, instance, value) && !isSurelyGood(member, instance, value)) return false;
  }
  return true;
}

function isAsked({ conditions }: Member, instance: object, value: unknown): boolean {
  for (const holds of conditions) if (!holds(instance, value)) return false;
  return true;
}

function isSurelyGood(member: Member, instance: object, value: unknown): boolean {
  for (const passes of member.checks) if (!passes(value, instance)) return false;
  return !member.isJudgedInside || value === undefined || isSurelyValidInside(member, value);
}

function isSurelyValidInside({ nested }: Member, value: unknown): boolean {
  if (nested === undefined) return false;
  const shape = shapeOf(nested);
  const isObjectValid = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && isSurelyValid(shape, one as Record<string, unknown>);
  return Array.isArray(value) ? value.every(isObjectValid) : isObjectValid(value);
}
