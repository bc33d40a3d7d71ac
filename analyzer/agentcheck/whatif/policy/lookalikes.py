"""Characters that look like one of ASCII's, from the data of Unicode Technical Standard 39.

Taken from confusables.txt (Unicode 14): every pair of one character of ASCII and one outside it
that no compatibility decomposition joins already; and the small letters of capitals in such pairs.
What stands for a capital I is "i" here, where the standard's skeleton has "l".
"""

from __future__ import annotations

from functools import cache

# Each row: the character of ASCII, then the code points that look like it, in hexadecimal.
_TABLE = r"""
& a778
' 2b9 2bb 2bc 2bd 2be 2c8 2ca 2cb 2f4 55a 55d 144a 16cc 2018 2019 201b 2032 2035 a78c 16f51
    16f52
( 2768 2772 3014 fd3e
) 2769 2773 3015 fd3f
* 204e 2217 1031f
+ 16ed 2795 1029b
, 201a a4f9
- 2d7 2010 2012 2013 2043 2212 2796 2cba
. 6f0 a4f8 a60e
/ 1735 2041 2044 2215 2571 27cb 29f8 2cc6 3033 30ce 31d3 4e3f 1d23a
2 1a7 3e8 14bf a644 a6ef a75a
3 1b7 21c 417 4e0 2ccc a76a a7ab 118ca 16f3b 1d206
4 13ce 118af
5 1bc 118bb
6 431 13ee 2cd2 118d5
7 104d2 118c6 1d212
8 222 223 9ea a6a b03 1031a
9 9ed a67 b68 d6d 2cca a76e 118ac 118cc 118d6
: 2d0 2f8 589 903 a83 16ec 1803 1809 205a 2236 a4fd a789
< 2c2 1438 16b2 2039 276e 1d236
= 1400 2e40 30a0 a4ff
> 2c3 1433 203a 276f 16f3f 1d237
\ 2216 27cd 29f5 29f9 31d4 4e36 1d20f 1d23b
a 251 391 3b1 410 430 13aa 15c5 237a a4ee 102a0 16f40
b 184 185 392 3b2 412 42c 432 44c 13cf 13f4 1472 15af 15f7 a4d0 a7b4 a7b5 10282 102a1 10301
c 421 441 13df 1d04 2ca4 2ca5 a4da abaf 102a2 10302 10415 1043d 1051c 118e9 118f2 1f74c
d 501 13a0 13e7 146f 15de 15ea a4d2 a4d3
e 395 3b5 415 435 4bd 13ac 212e 22ff 2d39 a4f0 ab32 10286 118a6 118ae 118ce
f 3dc 3dd 584 15b4 1e9d a4dd a798 a799 ab35 10287 102a5 10525 118a2 118c2 1d213
g 18d 261 50c 50d 581 13c0 13f3 1d83 a4d6
h 397 3b7 41d 43d 4bb 570 13bb 13c2 157c 2c8e 2c8f a4e7 102cf
i 131 196 269 26a 399 3b9 406 456 4c0 4cf 13a5 2373 a4f2 a647 ab75 10309 118a3 118c3
j 29d 37f 3f3 408 458 13ab 148d a4d9 a7b2
k 39a 3ba 41a 43a 13e6 16d5 2c94 2c95 a4d7 10518
l 1c0 6f1 13de 14aa 16c1 2223 23fd 2c92 2c93 2cd0 2cd1 2d4f a4e1 1028a 10320 1041b 10443 10526
    118b2 118d2 16f16 16f28 1d22a
m 39c 3bc 3fa 3fb 41c 43c 13b7 15f0 16d6 2c98 2c99 a4df 102b0 10311
n 39d 578 57c 2c9a 2c9b a4e0 10513
o 39f 3bf 3c3 41e 43e 555 585 6f5 966 9e6 a66 ae6 b20 b66 be6 c02 c66 c82 ce6 d02 d20 d66 d82
    e50 ed0 101d 1040 10ff 12d0 1d0f 1d11 2c9e 2c9f 2d54 3007 a4f3 ab3d 10292 102ab 10404
    1042c 104c2 104ea 10516 114d0 118b5 118c8 118d7 118e0
p 3a1 3c1 420 440 13e2 146d 2374 2ca2 2ca3 a4d1 10295
q 51b 563 566 2d55
r 1a6 280 433 13a1 13b1 13d2 1587 1d26 2c85 a4e3 ab47 ab48 ab81 104b4 104dc 16f35 1d216
s 1bd 405 455 54f 57f 13d5 13da a4e2 a731 abaa 10296 10420 10448 118c1 16f3a
t 3a4 3c4 422 442 13a2 22a4 27d9 2ca6 2ca7 a4d4 10297 102b1 10315 118bc 16f0a 1f768
u 28b 3c5 54d 57d 1200 144c 1d1c 222a 22c3 a4f4 a79f ab4e ab52 104ce 104f6 118b8 118d8 16f42
v 3bd 474 475 6f7 13d9 142f 1d20 2228 22c1 2d38 a4e6 a6df aba9 1051d 11706 118a0 118c0 16f08
    1d20d
w 26f 461 51c 51d 561 13b3 13d4 1d21 a4ea ab83 1170a 1170e 1170f 118e6 118ef
x d7 3a7 3c7 425 445 1541 157d 166d 166e 16b7 2573 292b 292c 2a2f 2cac 2cad 2d5d a4eb a7b3
    ab53 10290 102b4 10317 10322 10527 118ec
y 263 28f 3a5 3b3 423 443 4ae 4af 10e7 13a9 13bd 1d8c 1eff 2ca8 2ca9 a4ec ab5a 102b2 118a4
    118dc 16f43
z 396 3b6 13c3 1d22 a4dc ab93 102f5 118a9 118c4 118c9 118e5
{ 2774 1d114
} 2775
~ 2053 223c
"""


@cache
def lookalikes() -> dict[int, str]:
    """For `str.translate`: what each such character looks like, in lower case."""
    made: dict[int, str] = {}
    target = ""
    for line in _TABLE.strip().splitlines():
        first, *rest = line.split()
        if not line.startswith(" "):
            target = first
        else:
            rest = [first, *rest]
        made |= {int(code, 16): target for code in rest}
    return made
