"""LibCST operator nodes to their symbols."""

from __future__ import annotations

import libcst as cst

UNARY: dict[type[cst.BaseUnaryOp], str] = {
    cst.Not: "not",
    cst.Minus: "-",
    cst.Plus: "+",
    cst.BitInvert: "~",
}

BINARY: dict[type[cst.BaseBinaryOp], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitOr: "|",
    cst.BitAnd: "&",
    cst.BitXor: "^",
    cst.MatrixMultiply: "@",
}

COMPARE: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<",
    cst.GreaterThan: ">",
    cst.Equal: "==",
    cst.LessThanEqual: "<=",
    cst.GreaterThanEqual: ">=",
    cst.NotEqual: "!=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
}

AUGMENTED: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "+=",
    cst.SubtractAssign: "-=",
    cst.MultiplyAssign: "*=",
    cst.MatrixMultiplyAssign: "@=",
    cst.DivideAssign: "/=",
    cst.FloorDivideAssign: "//=",
    cst.ModuloAssign: "%=",
    cst.PowerAssign: "**=",
    cst.BitAndAssign: "&=",
    cst.BitOrAssign: "|=",
    cst.BitXorAssign: "^=",
    cst.LeftShiftAssign: "<<=",
    cst.RightShiftAssign: ">>=",
}
